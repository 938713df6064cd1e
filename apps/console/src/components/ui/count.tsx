import { formatCompact, formatCount } from '../../lib/format.ts';

/** Larger ones are wider than a third of a phone. */
const EXACT_MAX = 99_999_999;

/** A count that has a narrow place: a large one as `1.2B`, with all of it on hover and for screen readers. */
export function Count({ children: count }: { children: number }) {
  const exact = formatCount(count);
  if (count <= EXACT_MAX) return exact;
  return (
    <>
      <span aria-hidden="true" title={exact}>
        {formatCompact(count)}
      </span>
      <span className="sr-only">{exact}</span>
    </>
  );
}
