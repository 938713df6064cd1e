const MS_PER_MINUTE = 60_000;

/** Seconds until a UTC minute is over, rounded up; at least 1. `minute` is whole ones since 1970. */
export function secondsLeftOfMinute(minute: number, nowMs: number): number {
  return secondsUntil((minute + 1) * MS_PER_MINUTE, nowMs);
}

/** Seconds until a UTC month is over, rounded up; at least 1. `month` is year × 12 + month. */
export function secondsLeftOfMonth(month: number, nowMs: number): number {
  return secondsUntil(Date.UTC(Math.floor(month / 12), (month % 12) + 1), nowMs);
}

function secondsUntil(endMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endMs - nowMs) / 1000));
}

/** Whole hours since 1970. */
export const hourOfMinute = (minute: number) => Math.floor(minute / 60);

/** Year × 12 + month, January being 0, in UTC. */
export function monthOfMinute(minute: number): number {
  const date = new Date(minute * MS_PER_MINUTE);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
