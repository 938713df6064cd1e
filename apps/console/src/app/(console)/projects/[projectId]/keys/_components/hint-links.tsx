import { COUNTED_MAX } from '@ceiba/schema';
import { clsx } from 'clsx';
import { CalendarClock, X } from 'lucide-react';
import { Link } from '#components/ui/link.tsx';
import { formatCount } from '#lib/format.ts';
import { type Query, withQuery } from '#lib/list-query.ts';
import { HINTS, type HintFilter, URGENT_HINT } from '../filter.ts';

export interface HintLinksProps {
  here: string;
  query: Query;
  counts: Record<HintFilter, number>;
  current: HintFilter | undefined;
}

/**
 * Counts of active keys that need attention, each a link that filters the list; nothing if none do. What
 * has to be done soon is amber, the others are a quiet line. On a phone all are one line that scrolls.
 */
export function HintLinks({ here, query, counts, current }: HintLinksProps) {
  const shown = HINTS.filter(({ hint }) => counts[hint] > 0 || hint === current);
  if (shown.length === 0) return null;
  return (
    <nav
      aria-label="Needs attention"
      className="mb-2 flex gap-2 max-sm:-mx-4 max-sm:-mt-1 max-sm:mb-1 max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 sm:flex-wrap"
    >
      {shown.map(({ hint, words }) => {
        const isUrgent = hint === URGENT_HINT;
        const isCurrent = hint === current;
        return (
          <Link
            key={hint}
            aria-current={isCurrent ? 'true' : undefined}
            href={withQuery(here, query, {
              hint: isCurrent ? undefined : hint,
              status: undefined,
              cursor: undefined,
            })}
            className={clsx(
              'numbers inline-flex h-11 shrink-0 items-center gap-1.5 rounded border text-small whitespace-nowrap transition-colors sm:h-7',
              isCurrent
                ? 'border-ink bg-accent-soft px-2.5 text-ink'
                : isUrgent
                  ? 'border-limit/30 bg-limit-soft px-2.5 text-limit-text'
                  : 'border-transparent px-1 text-muted underline decoration-control-line underline-offset-4 first:pl-0 hover:text-ink',
            )}
          >
            {isUrgent && <CalendarClock aria-hidden="true" className="size-3.5" />}
            {countOf(counts, hint)} {words}
            {isCurrent && <X aria-hidden="true" className="size-4" />}
            {isCurrent && <span className="sr-only">, filtered; show all</span>}
          </Link>
        );
      })}
    </nav>
  );
}

const countOf = (counts: HintLinksProps['counts'], hint: HintFilter) =>
  hint === 'idle' && counts.idle > COUNTED_MAX
    ? `${formatCount(COUNTED_MAX)}+`
    : formatCount(counts[hint]);
