/** The UTC windows over which calls are counted, each named by one whole number. */
const MS_PER_MINUTE = 60_000;

/** Whole hours since 1970. */
export const hourOfMinute = (minute: number) => Math.floor(minute / 60);

/**
 * The number of a month: year × 12 + month, January being 0. `charge.lua` and the SQL in
 * `packages/schema` compute the same number; tests compare them.
 */
export const monthOf = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth();

export const monthOfMinute = (minute: number) => monthOf(new Date(minute * MS_PER_MINUTE));

/** The first instant of a month, in ms since 1970. */
export const startOfMonth = (month: number) => Date.UTC(Math.floor(month / 12), month % 12);

/** Seconds until a minute (whole minutes since 1970) is over, rounded up; at least 1. */
export const secondsLeftOfMinute = (minute: number, nowMs: number) =>
  secondsUntil((minute + 1) * MS_PER_MINUTE, nowMs);

/** Seconds until a month is over, rounded up; at least 1. */
export const secondsLeftOfMonth = (month: number, nowMs: number) =>
  secondsUntil(startOfMonth(month + 1), nowMs);

const secondsUntil = (endMs: number, nowMs: number) =>
  Math.max(1, Math.ceil((endMs - nowMs) / 1000));
