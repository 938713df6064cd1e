/** Ranges of time in UTC, and the steps and groups that usage is read in. */
import { endOfWindow, MS_PER_DAY, WINDOWS, type WindowName } from './windows.ts';

export const USAGE_STEPS = ['hour', 'day', 'month'] as const satisfies WindowName[];
/** The length of one point of a series, in UTC. */
export type UsageStep = (typeof USAGE_STEPS)[number];

export const USAGE_CUTS = ['outcome', 'api_key', 'policy'] as const;
/** What a series is grouped by. */
export type UsageCut = (typeof USAGE_CUTS)[number];

/** From `from`, up to but excluding `to`. */
export interface UsageRange {
  from: Date;
  to: Date;
}

/**
 * The most days that a series of each step may span: these are answered from totals, or from few
 * enough hours to be summed while a page waits.
 */
export const USAGE_RANGE_DAYS_MAX = {
  outcome: { hour: 31, day: 400, month: 1_830 },
  policy: { hour: 2, day: 400, month: 1_830 },
  api_key: { hour: 2, day: 400, month: 400 },
  /** Each key of a customer is looked up. */
  customer: { hour: 2, day: 100, month: 100 },
} as const satisfies Record<UsageCut | 'customer', Record<UsageStep, number>>;

/** The most days of one export of usage. */
export const EXPORT_DAYS_MAX = 400;

/** The finest step that a range may be read in; months when it is too long for any. */
export function finestUsageStep(by: UsageCut | 'customer', range: UsageRange): UsageStep {
  const days = daysIn(range);
  return USAGE_STEPS.find((step) => days <= USAGE_RANGE_DAYS_MAX[by][step]) ?? 'month';
}

export const daysIn = ({ from, to }: UsageRange): number =>
  (to.getTime() - from.getTime()) / MS_PER_DAY;

/** The range of the same length that ends where this one begins. */
export const rangeBefore = ({ from, to }: UsageRange): UsageRange => ({
  from: new Date(from.getTime() - (to.getTime() - from.getTime())),
  to: from,
});

/** The step to show a range in: hours for up to two days, days while they are distinguishable, else months. */
export function usageStepFor(by: UsageCut | 'customer', range: UsageRange): UsageStep {
  const finest = finestUsageStep(by, range);
  return finest === 'hour' && daysIn(range) > USAGE_RANGE_DAYS_MAX.api_key.hour ? 'day' : finest;
}

/**
 * Widens a range to whole steps.
 *
 * @throws RangeError when it is empty, or longer than `maxDays`
 */
export function wholeSteps({ from, to }: UsageRange, step: UsageStep, maxDays: number) {
  const days = daysIn({ from, to });
  if (!(days > 0)) throw new RangeError('a range has to end after it begins');
  if (days > maxDays) throw new RangeError(`a range in steps of a ${step} is too long: ${days} d`);
  const last = startOfStep(new Date(to.getTime() - 1), step);
  return { from: startOfStep(from, step), to: nextStep(last, step) };
}

/** The start of the step that contains an instant. */
export const startOfStep = (at: Date, step: UsageStep): Date =>
  new Date(WINDOWS[step].startOf(WINDOWS[step].numberAt(at.getTime())));

/** The start of the step after the one that contains an instant. */
export const nextStep = (at: Date, step: UsageStep): Date =>
  new Date(endOfWindow(step, at.getTime()));

/** The start of each step of a range. */
export function stepsOf({ from, to }: UsageRange, step: UsageStep): Date[] {
  const starts: Date[] = [];
  for (let at = startOfStep(from, step); at < to; at = nextStep(at, step)) starts.push(at);
  return starts;
}
