/** Ranges of time and what they are divided into, in UTC. Pure. */

export const USAGE_STEPS = ['hour', 'day', 'month'] as const;
/** How long one point of a series is: an hour, a day or a month in UTC. */
export type UsageStep = (typeof USAGE_STEPS)[number];

export const USAGE_CUTS = ['outcome', 'api_key', 'policy'] as const;
/** What a series is divided by. */
export type UsageCut = (typeof USAGE_CUTS)[number];

/** From `from` until before `to`. */
export interface UsageRange {
  from: Date;
  to: Date;
}

/**
 * The most days that a series of each step may span. What lies within is answered from totals, or
 * from so few hours that they can be added up while a page waits.
 */
export const USAGE_RANGE_DAYS_MAX = {
  outcome: { hour: 31, day: 400, month: 1_830 },
  policy: { hour: 2, day: 400, month: 1_830 },
  api_key: { hour: 2, day: 100, month: 1_830 },
} as const satisfies Record<UsageCut, Record<UsageStep, number>>;

/**
 * Of each day that is over, as many keys are found without reading all of them. The largest of a
 * longer time are sought among these: a key that is none of them on any day is not found.
 */
export const LARGEST_KEYS_A_DAY = 50;

export const MS_PER_HOUR = 3_600_000;
export const MS_PER_DAY = 86_400_000;

/** The finest step in which a range can be asked for; months for anything that is longer. */
export function finestUsageStep(by: UsageCut, { from, to }: UsageRange): UsageStep {
  const days = (to.getTime() - from.getTime()) / MS_PER_DAY;
  return USAGE_STEPS.find((step) => days <= USAGE_RANGE_DAYS_MAX[by][step]) ?? 'month';
}

/**
 * Widens a range to whole steps.
 *
 * @throws RangeError where it is empty, or longer than `mostDays`
 */
export function wholeSteps({ from, to }: UsageRange, step: UsageStep, mostDays: number) {
  const days = (to.getTime() - from.getTime()) / MS_PER_DAY;
  if (!(days > 0)) throw new RangeError('a range has to end after it begins');
  if (days > mostDays) throw new RangeError(`a range in steps of a ${step} is too long: ${days} d`);
  const last = startOfStep(new Date(to.getTime() - 1), step);
  return { from: startOfStep(from, step), to: nextStep(last, step) };
}

/** When the step that holds an instant begins. */
export function startOfStep(at: Date, step: UsageStep): Date {
  switch (step) {
    case 'hour':
      return new Date(Math.floor(at.getTime() / MS_PER_HOUR) * MS_PER_HOUR);
    case 'day':
      return new Date(Math.floor(at.getTime() / MS_PER_DAY) * MS_PER_DAY);
    case 'month':
      return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
  }
}

function nextStep(start: Date, step: UsageStep): Date {
  switch (step) {
    case 'hour':
      return new Date(start.getTime() + MS_PER_HOUR);
    case 'day':
      return new Date(start.getTime() + MS_PER_DAY);
    case 'month':
      return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  }
}

/** When each step of a range begins, so that those without a decision are shown as 0. */
export function stepsOf({ from, to }: UsageRange, step: UsageStep): Date[] {
  const starts: Date[] = [];
  for (let at = startOfStep(from, step); at < to; at = nextStep(at, step)) starts.push(at);
  return starts;
}

/** Year × 12 + month, January being 0, in UTC: how months are numbered in `usage_months`. */
export const monthNumberOf = (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth();
