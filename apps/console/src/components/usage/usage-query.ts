import { daysIn, EXPORT_DAYS_MAX, rangeBefore, type UsageRange } from '@ceiba/domain';
import { parseDay, utcDay } from '../../lib/instant.ts';
import { type Query, textOf } from '../../lib/list-query.ts';

/** Ranges of one click. Each ends with the current hour or day. */
export const USAGE_PRESETS = [
  { value: '24h', name: '24 hours', steps: 24, unit: 'hour' },
  { value: '7d', name: '7 days', steps: 7, unit: 'day' },
  { value: 'month', name: 'This month', steps: (now: Date) => now.getUTCDate(), unit: 'day' },
  { value: '30d', name: '30 days', steps: 30, unit: 'day' },
  { value: '90d', name: '90 days', steps: 90, unit: 'day' },
  { value: '1y', name: 'Year', steps: 365, unit: 'day' },
] as const;

const UNIT_MS = { hour: 3_600_000, day: 86_400_000 } as const;
const DEFAULT_PRESET = '7d';
/** The longest series, five years of months. */
const RANGE_DAYS_MAX = 1_830;

export interface UsageQuery {
  /** A preset's value, or `custom`. */
  choice: string;
  from: Date;
  /** Exclusive. */
  to: Date;
  /** The days in the fields, `YYYY-MM-DD` in UTC, both included. */
  firstDay: string;
  lastDay: string;
  /** Why the range of the URL is not shown. */
  refusal?: string;
}

/** A range from the URL: `range=30d`, or the days `from=2026-01-01&to=2026-01-31`, in UTC. */
export function parseUsageQuery(query: Query, now: Date): UsageQuery {
  const [first, last] = [textOf(query, 'from'), textOf(query, 'to')];
  if (first === '' && last === '') return presetOf(textOf(query, 'range'), now);
  const custom = customOf(first, last);
  if (typeof custom !== 'string') return custom;
  return { ...presetOf('', now), firstDay: first, lastDay: last, refusal: custom };
}

function presetOf(value: string, now: Date): UsageQuery {
  const preset =
    USAGE_PRESETS.find((candidate) => candidate.value === value) ??
    USAGE_PRESETS.find((candidate) => candidate.value === DEFAULT_PRESET);
  if (preset === undefined) throw new Error('the default range is no preset');
  const unit = UNIT_MS[preset.unit];
  const to = new Date((Math.floor(now.getTime() / unit) + 1) * unit);
  const steps = typeof preset.steps === 'number' ? preset.steps : preset.steps(now);
  const from = new Date(to.getTime() - steps * unit);
  return { choice: preset.value, from, to, ...daysOf(from, to) };
}

function customOf(first: string, last: string): UsageQuery | string {
  const from = parseDay(first);
  const until = parseDay(last);
  if (from === null || until === null) return 'Choose the first and the last day.';
  const to = new Date(until.getTime() + UNIT_MS.day);
  if (to <= from) return 'The last day must not be before the first.';
  if (to.getTime() - from.getTime() > RANGE_DAYS_MAX * UNIT_MS.day) {
    return 'At most five years can be shown at once.';
  }
  return { choice: 'custom', from, to, ...daysOf(from, to) };
}

/** The first and the last day of a range. */
export const daysOf = (from: Date, to: Date) => ({
  firstDay: utcDay(from),
  lastDay: utcDay(new Date(to.getTime() - 1)),
});

/** The longest range that is compared with the one before it, which doubles what is read. */
const COMPARED_DAYS_MAX = 90;

/** The range before, if it is to be compared with this one. */
export const comparedRange = (range: UsageRange): UsageRange | undefined =>
  daysIn(range) > COMPARED_DAYS_MAX ? undefined : rangeBefore(range);

/** Why there is no CSV file of a range. */
export const csvRefusal = (usage: UsageQuery): string | undefined =>
  usage.refusal ??
  (daysIn(usage) > EXPORT_DAYS_MAX
    ? `A CSV file holds at most ${EXPORT_DAYS_MAX} days.`
    : undefined);
