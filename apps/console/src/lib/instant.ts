/** Instants as addresses, fields and days hold them; `time.ts` writes them for people. */
import { fieldTime } from './time.ts';

/** The day `YYYY-MM-DD` in UTC. */
export const utcDay = (instant: Date): string => instant.toISOString().slice(0, 10);

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

const MINUTE_TEXT = /^((\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?Z?$/;

/**
 * The minute of an instant in an address, `YYYY-MM-DDTHH:MMZ`; null for anything else. It accepts the days
 * of {@link parseDay}. A second is cut off, and the `Z` was missing in older addresses.
 */
export function parseMinute(text: string): Date | null {
  const [, minute, day] = MINUTE_TEXT.exec(text) ?? [];
  return day === undefined || parseDay(day) === null ? null : new Date(`${minute}:00Z`);
}

/** An instant as addresses hold it: what {@link parseMinute} reads. */
export const minuteText = (instant: Date): string => `${instant.toISOString().slice(0, 16)}Z`;

/** The bounds of a `datetime-local` field. An earlier year was typed with two digits. */
export const LOCAL_TIME_BOUNDS = { min: '2000-01-01T00:00', max: '9998-12-31T23:59' } as const;

/** The value of a `datetime-local` field: the minute of an instant in a zone. */
export const localText = (instant: Date, timeZone: string): string =>
  fieldTime(instant, timeZone).replace(/^(\d+)\/(\d+)\/(\d+), /, '$3-$2-$1T');

const DAY_MS = 86_400_000;

/**
 * The instant of a time in a `datetime-local` field, in a zone; null if there is none within the field's
 * bounds, such as in the year 0002 while 2027 is typed. Of a repeated hour it is the first; a time that the
 * clocks skip is as much later as they do.
 */
export function instantOf(typed: string, timeZone: string): Date | null {
  const asUtc = Date.parse(`${typed}Z`);
  const { min, max } = LOCAL_TIME_BOUNDS;
  // As text, so that a year of five digits is beyond them too.
  if (Number.isNaN(asUtc) || typed < min || typed > max) return null;
  /** The same, with the offset from UTC that the zone has at another instant. */
  const withOffsetAt = (at: number) =>
    new Date(asUtc - (Date.parse(`${localText(new Date(at), timeZone)}Z`) - at));
  const early = withOffsetAt(asUtc - DAY_MS);
  const late = withOffsetAt(asUtc + DAY_MS);
  return [early, late].find((instant) => localText(instant, timeZone) === typed) ?? early;
}

/** As {@link instantOf}; the instant that the field began with, with its second, if its text is unchanged. */
export const instantInField = (typed: string, shown: Date | null, timeZone: string): Date | null =>
  shown !== null && typed === localText(shown, timeZone) ? shown : instantOf(typed, timeZone);

/** The day of an instant in a zone, whose clocks may give it 23 or 25 hours. */
export function dayOf(instant: Date, timeZone: string): { from: Date; to: Date } {
  const day = localText(instant, timeZone).slice(0, 10);
  const startOf = (text: string) => instantOf(`${text}T00:00`, timeZone) ?? instant;
  return { from: startOf(day), to: startOf(utcDay(new Date(Date.parse(day) + DAY_MS))) };
}
