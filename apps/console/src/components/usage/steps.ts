import type { UsageStep } from '@ceiba/domain';
import { formatterByZone } from '../../lib/time.ts';

/** Days and months are counted in UTC, so only hours have names in other time zones. */
const FORMATS = {
  hour: formatterByZone({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
  day: formatterByZone({ day: 'numeric', month: 'short', year: 'numeric' }),
  month: formatterByZone({ month: 'short', year: 'numeric' }),
} as const satisfies Record<UsageStep, ReturnType<typeof formatterByZone>>;

/** `20 Nov, 14:00` in a time zone; `20 Nov 2026` or `Nov 2026` in UTC. */
export const stepName = (start: Date, step: UsageStep, timeZone = 'UTC'): string =>
  FORMATS[step](start, step === 'hour' ? timeZone : 'UTC');

/** The next round number, at least the highest count; half of it is a whole number. */
export function axisMax(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 1)));
  const factors = power === 1 ? [2, 4, 6, 8, 10] : [1, 2, 3, 4, 6, 8, 10];
  return factors.map((factor) => factor * power).find((max) => max >= highest) ?? highest;
}

/** The least of a few shares that is at least the highest one. */
export const shareMax = (highest: number): number =>
  [0.05, 0.1, 0.25, 0.5].find((max) => max >= highest) ?? 1;
