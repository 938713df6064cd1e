import type { ReactNode } from 'react';
import { formatShares, sum } from '../../lib/format.ts';
import { Count } from '../ui/count.tsx';
import { type OutcomeTone, TONE_FILLS } from './by-tone.ts';

export interface Share {
  id: string;
  name: ReactNode;
  count: number;
  /** Over time; shown as bars instead of the share. */
  counts?: readonly number[];
  tone: OutcomeTone;
}

export interface ShareListProps {
  label: string;
  shares: readonly Share[];
  total: number;
}

/** Parts of a whole: the name, a chart, the count and the share. */
export function ShareList({ label, shares, total }: ShareListProps) {
  const percents = formatShares(shares.map(({ count }) => count));
  return (
    <div className="@container">
      <ul aria-label={label} className="panel numbers divide-y">
        {shares.map(({ id, name, count, counts, tone }, index) => (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 sm:gap-x-6 px-(--inset) py-1.5 @md:grid-cols-[minmax(0,1fr)_4rem_6rem] @2xl:grid-cols-[minmax(0,1fr)_12rem_9rem]"
          >
            <div className="min-w-0">{name}</div>
            <div className="order-last col-span-2 @md:order-none @md:col-span-1">
              {counts ? (
                <Trend counts={counts} tone={tone} />
              ) : (
                <Bar part={count} whole={total} tone={tone} />
              )}
            </div>
            <p className="figures flex justify-end whitespace-nowrap">
              <Count>{count}</Count>
              <span className="w-10 text-right sm:w-12 text-small/5 text-muted">
                {percents[index]}
              </span>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Bar({ part, whole, tone }: { part: number; whole: number; tone: Share['tone'] }) {
  return (
    <svg aria-hidden="true" className="block h-2 w-full">
      <rect width="100%" height="8" className="fill-line" />
      <rect
        width={whole === 0 ? 0 : `${(part / whole) * 100}%`}
        height="8"
        className={TONE_FILLS[tone]}
      />
    </svg>
  );
}

const TREND_WIDTH = 100;
const TREND_HEIGHT = 24;
/** More would be too narrow to see. */
const BARS_MAX = 100;

/** Adds up neighbours until few enough bars are left. */
function inFewer(counts: readonly number[]): number[] {
  const together = Math.ceil(counts.length / BARS_MAX);
  return counts.flatMap((_, index) =>
    index % together === 0 ? sum(counts.slice(index, index + together)) : [],
  );
}

function Trend({ counts, tone }: { counts: readonly number[]; tone: Share['tone'] }) {
  const sums = inFewer(counts);
  const highest = Math.max(1, ...sums);
  const slot = TREND_WIDTH / Math.max(sums.length, 1);
  const width = Math.min(slot * 0.8, 12);
  const bars = sums.map((count, index) => {
    const height = count === 0 ? 0 : Math.max(1.5, (count / highest) * TREND_HEIGHT);
    const left = slot * (index + 0.5) - width / 2;
    return height === 0
      ? ''
      : `M${left.toFixed(2)} ${TREND_HEIGHT}v-${height.toFixed(1)}h${width.toFixed(2)}V${TREND_HEIGHT}z`;
  });
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${TREND_WIDTH} ${TREND_HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-6 w-full"
    >
      <rect y={TREND_HEIGHT - 1} width={TREND_WIDTH} height="1" className="fill-line" />
      <path d={bars.join('')} className={TONE_FILLS[tone]} />
    </svg>
  );
}
