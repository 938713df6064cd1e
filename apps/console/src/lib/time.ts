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

/**
 * The present beside an instant, for a page whose clock ticks from time to time: what the page received
 * since its last tick is not in the future.
 */
export const presentFor = (instant: Date, lastTick: Date, now = new Date()): Date =>
  instant > lastTick ? now : lastTick;

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

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const MINUTE = { hour: '2-digit', minute: '2-digit' } as const;
const SECOND = { ...MINUTE, second: '2-digit' } as const;
/** `UTC+1`: names the zone where no heading does, and distinguishes a repeated hour from the one before. */
const ZONED = { timeZoneName: 'shortOffset' } as const;

/**
 * The only way in which the console writes a point in time: in an IANA time zone, that of the account, or
 * `UTC` for what is counted in UTC. Each zone has one formatter, because creating one is expensive and a list
 * has a hundred times.
 */
function timeForm(options: Intl.DateTimeFormatOptions) {
  const byZone = new Map<string, Intl.DateTimeFormat>();
  return (instant: Date, timeZone: string): string => {
    const known = byZone.get(timeZone);
    const formatter = known ?? new Intl.DateTimeFormat('en-GB', { timeZone, ...options });
    if (known === undefined) byZone.set(timeZone, formatter);
    return formatter.format(instant).replace(/GMT(\+0$)?/, 'UTC');
  };
}

// Marked as pure, so that browsers do not load the forms that only the server writes.

/** `20 Nov 2026, 14:05 UTC+1` */
export const minuteTime = /* @__PURE__ */ timeForm({ ...DATE, ...MINUTE, ...ZONED });
/** `20 Nov 2026, 14:05:09 UTC+1` */
export const secondTime = /* @__PURE__ */ timeForm({ ...DATE, ...SECOND, ...ZONED });
/** `14:05`, below its day */
export const timeOfDay = /* @__PURE__ */ timeForm(MINUTE);
/** `20 Nov, 14:00`, the start of an hour */
export const hourName = /* @__PURE__ */ timeForm({ day: 'numeric', month: 'short', ...MINUTE });
/** `20 Nov 2026` */
export const dayName = /* @__PURE__ */ timeForm(DATE);
/** `Friday, 20 November 2026` */
export const longDayName = /* @__PURE__ */ timeForm({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
/** `Nov 2026` */
export const monthName = /* @__PURE__ */ timeForm({ month: 'short', year: 'numeric' });

const secondOfDay = /* @__PURE__ */ timeForm(SECOND);
const secondOfEarlierDay = /* @__PURE__ */ timeForm({ day: 'numeric', month: 'short', ...SECOND });

/** `14:05:09` of today, `20 Nov, 14:05:09` of another day. */
export const logTime = (instant: Date, now: Date, timeZone: string): string =>
  dayName(instant, timeZone) === dayName(now, timeZone)
    ? secondOfDay(instant, timeZone)
    : secondOfEarlierDay(instant, timeZone);

/** `20/11/2026, 14:05`, which `instant.ts` turns into the value of a field. */
export const fieldTime = /* @__PURE__ */ timeForm({
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  ...MINUTE,
});

/** The zone of the browser; on a server, its own. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
