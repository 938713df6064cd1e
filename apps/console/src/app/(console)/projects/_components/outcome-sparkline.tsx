import { formatCount, plural, sum } from '#lib/format.ts';

export interface OutcomeSparklineProps {
  /** Counts by hour, the newest last; both have the same length. */
  allowed: readonly number[];
  denied: readonly number[];
}

const HEIGHT = 32;
const STEP = 7;
const BAR = 5;

/** A bar of a path, from its lower left corner. */
const bar = (hour: number, bottom: number, height: number) =>
  height === 0 ? '' : `M${hour * STEP} ${round(bottom)}v${-round(height)}h${BAR}v${round(height)}z`;
const round = (length: number) => Math.round(length * 10) / 10;

/**
 * Decisions by hour as small stacked bars: denied on top of allowed. All bars of a colour are one path,
 * because a page of many projects would have thousands of elements.
 */
export function OutcomeSparkline({ allowed, denied }: OutcomeSparklineProps) {
  const deniedIn = (hour: number) => denied[hour] ?? 0;
  const highest = Math.max(1, ...allowed.map((count, hour) => count + deniedIn(hour)));
  const scale = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / highest) * HEIGHT));
  const bars = (of: (count: number, hour: number) => string) => allowed.map(of).join('');
  const width = allowed.length * STEP - (STEP - BAR);
  return (
    <svg
      role="img"
      aria-label={`Last ${plural(allowed.length, 'hour')}: ${formatCount(sum(allowed))} allowed, ${formatCount(sum(denied))} denied`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-8 w-full"
    >
      <path className="fill-line" d={bars((_, hour) => bar(hour, HEIGHT, 1))} />
      <path className="fill-allow-bar" d={bars((count, hour) => bar(hour, HEIGHT, scale(count)))} />
      <path
        className="fill-deny"
        d={bars((count, hour) => bar(hour, HEIGHT - scale(count), scale(deniedIn(hour))))}
      />
    </svg>
  );
}
