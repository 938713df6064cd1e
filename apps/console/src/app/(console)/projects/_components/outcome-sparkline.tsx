import { formatCount, plural, sum } from '#lib/format.ts';

export interface OutcomeSparklineProps {
  /** Counts by hour, the newest last; both have the same length. */
  allowed: readonly number[];
  denied: readonly number[];
}

const HEIGHT = 32;
const STEP = 7;
const BAR = 5;

/** Decisions by hour as small stacked bars: denied on top of allowed. */
export function OutcomeSparkline({ allowed, denied }: OutcomeSparklineProps) {
  const total = (hour: number) => (allowed[hour] ?? 0) + (denied[hour] ?? 0);
  const highest = Math.max(1, ...allowed.map((_, hour) => total(hour)));
  const scale = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / highest) * HEIGHT));
  const width = allowed.length * STEP - (STEP - BAR);
  return (
    <svg
      role="img"
      aria-label={`Last ${plural(allowed.length, 'hour')}: ${formatCount(sum(allowed))} allowed, ${formatCount(sum(denied))} denied`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-8 w-full"
    >
      {allowed.map((count, hour) => {
        const allowedHeight = scale(count);
        const deniedHeight = scale(denied[hour] ?? 0);
        const x = hour * STEP;
        return (
          <g key={hour}>
            <rect x={x} y={HEIGHT - 1} width={BAR} height={1} className="fill-line" />
            <rect
              x={x}
              y={HEIGHT - allowedHeight}
              width={BAR}
              height={allowedHeight}
              className="fill-allow-bar"
            />
            <rect
              x={x}
              y={Math.max(0, HEIGHT - allowedHeight - deniedHeight)}
              width={BAR}
              height={deniedHeight}
              className="fill-deny"
            />
          </g>
        );
      })}
    </svg>
  );
}
