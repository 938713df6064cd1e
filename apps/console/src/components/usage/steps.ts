import type { UsageStep } from '@ceiba/domain';

const inUtc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });

/** Created once, because a chart of a year names hundreds of steps. */
const FORMATS = {
  hour: inUtc({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
  day: inUtc({ day: 'numeric', month: 'short', year: 'numeric' }),
  month: inUtc({ month: 'short', year: 'numeric' }),
} as const satisfies Record<UsageStep, Intl.DateTimeFormat>;

/** `20 Nov, 14:00`, `20 Nov 2026` or `Nov 2026`, in UTC. */
export const stepName = (start: Date, step: UsageStep): string => FORMATS[step].format(start);

/** The next round number, at least the highest count; half of it is a whole number. */
export function axisMax(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 1)));
  const factors = power === 1 ? [2, 4, 6, 8, 10] : [1, 2, 3, 4, 6, 8, 10];
  return factors.map((factor) => factor * power).find((max) => max >= highest) ?? highest;
}
