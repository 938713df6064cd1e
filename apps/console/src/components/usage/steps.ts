import type { UsageStep } from '@ceiba/schema';

const FORMATS = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
} as const satisfies Record<UsageStep, Intl.DateTimeFormatOptions>;

/** `20 Nov, 14:00`, `20 Nov 2026` or `Nov 2026`; steps are those of UTC. */
export const stepName = (start: Date, step: UsageStep): string =>
  new Intl.DateTimeFormat('en-GB', { ...FORMATS[step], timeZone: 'UTC' }).format(start);

/** A round number that is not below the highest count; half of it is a whole number. */
export function axisMax(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 1)));
  const factors = power === 1 ? [2, 4, 6, 8, 10] : [1, 2, 3, 4, 6, 8, 10];
  return factors.map((factor) => factor * power).find((max) => max >= highest) ?? highest;
}
