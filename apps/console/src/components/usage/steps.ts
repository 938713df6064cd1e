import type { UsageStep } from '@ceiba/domain';
import { dayName, hourName, monthName } from '../../lib/time.ts';

/** The zone that names a step: hours are points in time, days and months are counted in UTC. */
export const zoneOf = (step: UsageStep, timeZone: string): string =>
  step === 'hour' ? timeZone : 'UTC';

const STEP_NAMES = { hour: hourName, day: dayName, month: monthName } as const;

/** `20 Nov, 14:00` in a time zone; `20 Nov 2026` or `Nov 2026` in UTC. */
export const stepName = (start: Date, step: UsageStep, timeZone: string): string =>
  STEP_NAMES[step](start, zoneOf(step, timeZone));

/** `Hours are in Europe/Berlin.` or `Days are counted in UTC.` */
export const zoneNote = (step: UsageStep, timeZone: string): string =>
  step === 'hour'
    ? `Hours are in ${timeZone}.`
    : `${step === 'day' ? 'Days' : 'Months'} are counted in UTC.`;

/** The next round number, at least the highest count; half of it is a whole number. */
export function axisMax(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 1)));
  const factors = power === 1 ? [2, 4, 6, 8, 10] : [1, 2, 3, 4, 6, 8, 10];
  return factors.map((factor) => factor * power).find((max) => max >= highest) ?? highest;
}

/** The least of a few shares that is at least the highest one. */
export const shareMax = (highest: number): number =>
  [0.05, 0.1, 0.25, 0.5].find((max) => max >= highest) ?? 1;
