const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** Always numbers, because "next week" depends on the day of the week. */
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** `3 hours ago`, `in 9 days`, `just now`; the coarsest unit that fits. */
export function relativeTime(instant: Date, now: Date): string {
  const seconds = Math.round((instant.getTime() - now.getTime()) / 1000);
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  if (Math.abs(seconds) < 10) return 'just now';
  return relative.format(seconds, 'second');
}

/** `3 hours`, `1 minute`: the time between two instants, in the coarsest unit that fits. */
export function timeBetween(from: Date, to: Date): string {
  const seconds = Math.round((to.getTime() - from.getTime()) / 1000);
  const [unit, length] = STEPS.find(([, unitLength]) => seconds >= unitLength) ?? ['second', 1];
  const count = Math.trunc(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const HOUR_MS = 3_600_000;

/**
 * `this hour`, `an hour ago`, `3 hours ago`, `2 days ago`, for data per hour.
 *
 * @param hour the start of the hour
 */
export function relativeHour(hour: Date, now: Date): string {
  const hours = Math.floor((now.getTime() - hour.getTime()) / HOUR_MS);
  if (hours < 1) return 'this hour';
  return hours === 1 ? 'an hour ago' : relativeTime(hour, now);
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const;

/** `20 Nov 2026, 14:05`, in an IANA time zone. */
export const absoluteTime = formatterByZone(MINUTE);

/** `20 Nov 2026`, in an IANA time zone. */
export const absoluteDate = formatterByZone(DAY);

/** `Friday, 20 November 2026`, in an IANA time zone. */
export const dayName = formatterByZone({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

/** `14:05`, in an IANA time zone. */
export const timeOfDay = formatterByZone({ hour: '2-digit', minute: '2-digit' });

const SECOND = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const exactTimeIn = formatterByZone({ ...DAY, ...SECOND });
const secondOfDay = formatterByZone(SECOND);
const secondOfEarlierDay = formatterByZone({ day: 'numeric', month: 'short', ...SECOND });

/** `20 Nov 2026, 14:05:09 UTC`. */
export const exactTime = (instant: Date): string => `${exactTimeIn(instant, 'UTC')} UTC`;

/** `14:05:09` of today, `20 Nov, 14:05:09` of another day, in UTC. */
export function logTime(instant: Date, now: Date): string {
  const isToday = absoluteDate(instant, 'UTC') === absoluteDate(now, 'UTC');
  return (isToday ? secondOfDay : secondOfEarlierDay)(instant, 'UTC');
}

/** Caches one formatter per time zone, because creating one is expensive and a list has a hundred times. */
export function formatterByZone(options: Intl.DateTimeFormatOptions) {
  const byZone = new Map<string, Intl.DateTimeFormat>();
  return (instant: Date, timeZone: string): string => {
    const known = byZone.get(timeZone);
    const formatter = known ?? new Intl.DateTimeFormat('en-GB', { timeZone, ...options });
    if (known === undefined) byZone.set(timeZone, formatter);
    return formatter.format(instant);
  };
}

/** `2026-11-20 14:05:09 UTC`. */
export function utcTime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The time zone if this server knows it, else UTC. */
export function knownTimeZone(name: string | undefined): string {
  if (name === undefined || name.length > 64) return 'UTC';
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/**
 * The start of the day `YYYY-MM-DD` in UTC; null for anything else. Only the years 2000 to 9998, so
 * that Postgres accepts the following day too.
 */
export function parseDay(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '2000' || text >= '9999') return null;
  const day = new Date(`${text}T00:00:00Z`);
  // `Date` turns 30 February into a day of March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : null;
}

const MINUTE_TEXT = /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d$/;

/** The time `YYYY-MM-DDTHH:MM` in UTC; null for anything else. It accepts the days of {@link parseDay}. */
export function parseMinute(text: string): Date | null {
  const day = MINUTE_TEXT.exec(text)?.[1];
  return day === undefined || parseDay(day) === null ? null : new Date(`${text}:00Z`);
}

/** The value of {@link parseMinute} for an instant. */
export const minuteText = (instant: Date): string => instant.toISOString().slice(0, 16);

/** The bounds of a `datetime-local` field. An earlier year was typed with two digits. */
export const LOCAL_TIME_BOUNDS = { min: '2000-01-01T00:00', max: '9998-12-31T23:59' } as const;

/** The value of a `datetime-local` field, in the browser's time zone. */
export function localText(instant: Date): string {
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The time in a `datetime-local` field, in the browser's time zone; null if there is none. */
export function instantOf(typed: string): Date | null {
  const instant = new Date(typed);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
