/** The windows in UTC over which calls are counted, each named by a whole number. */
import type { Period } from './limits.ts';

export const MS_PER_MINUTE = 60_000;
export const MS_PER_HOUR = 3_600_000;
export const MS_PER_DAY = 86_400_000;

export interface Window {
  /** The number of the window that contains an instant, in ms since 1970. */
  numberAt(ms: number): number;
  /** The first instant of a window, in ms since 1970. */
  startOf(number: number): number;
}

const every = (length: number): Window => ({
  numberAt: (ms) => Math.floor(ms / length),
  startOf: (number) => number * length,
});

/**
 * All windows. A month's number is year × 12 + month, January being 0: `calendar.lua` and the SQL in
 * `packages/schema` compute the same number, and tests compare them.
 */
export const WINDOWS = {
  minute: every(MS_PER_MINUTE),
  hour: every(MS_PER_HOUR),
  day: every(MS_PER_DAY),
  month: {
    numberAt(ms) {
      const at = new Date(ms);
      return at.getUTCFullYear() * 12 + at.getUTCMonth();
    },
    startOf: (number) => Date.UTC(Math.floor(number / 12), number % 12),
  },
} as const satisfies Record<string, Window>;

export type WindowName = keyof typeof WINDOWS;

/** Has the number of the calendar month in which it begins. */
const monthFrom = (day: number): Window => ({
  numberAt: (ms) => WINDOWS.month.numberAt(ms - (day - 1) * MS_PER_DAY),
  startOf: (number) => WINDOWS.month.startOf(number) + (day - 1) * MS_PER_DAY,
});

const PERIODS: readonly Window[] = [
  WINDOWS.day,
  ...Array.from({ length: 28 }, (_, index) => monthFrom(index + 1)),
];

/**
 * The window of a period; `calendar.lua` computes the same number, and tests compare them.
 *
 * @throws RangeError where there is no such period */
export function windowOfPeriod(period: Period): Window {
  const window = PERIODS[period];
  if (!window) throw new RangeError(`There is no period ${period}: it is 0 to 28.`);
  return window;
}

/** The number of the month that contains an instant. */
export const monthOf = (at: Date) => WINDOWS.month.numberAt(at.getTime());

/** The end of the window that contains an instant, in ms since 1970. */
export const endOfWindow = (name: WindowName, ms: number) =>
  WINDOWS[name].startOf(WINDOWS[name].numberAt(ms) + 1);

/** Seconds until a window is over, rounded up; at least 1. */
export const secondsLeft = ({ startOf }: Window, number: number, nowMs: number) =>
  Math.max(1, Math.ceil((startOf(number + 1) - nowMs) / 1000));
