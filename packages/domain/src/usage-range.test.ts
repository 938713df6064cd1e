import { describe, expect, it } from 'vitest';
import {
  daysIn,
  finestUsageStep,
  nextStep,
  rangeBefore,
  startOfStep,
  stepsOf,
  usageStepFor,
  wholeSteps,
} from './usage-range.ts';

const rangeOf = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
/** A range of so many days from 1 November. */
const days = (count: number) => ({
  from: new Date(Date.UTC(2026, 10, 1)),
  to: new Date(Date.UTC(2026, 10, 1) + count * 86_400_000),
});

describe('a range of usage', () => {
  it.each([
    ['outcome', 31, 'hour'],
    ['outcome', 31.1, 'day'],
    ['outcome', 400.1, 'month'],
    ['policy', 2, 'hour'],
    ['policy', 400, 'day'],
    ['api_key', 400, 'day'],
    ['api_key', 400.1, 'month'],
    ['api_key', 9_999, 'month'],
    ['customer', 100, 'day'],
    ['customer', 100.1, 'month'],
  ] as const)('by %s of %d days is read in steps of a %s at the finest', (by, count, step) => {
    expect(finestUsageStep(by, days(count))).toBe(step);
  });

  it.each([
    [2, 'hour'],
    [2.1, 'day'],
    [400, 'day'],
    [401, 'month'],
  ])('of %d days is shown in steps of a %s', (count, step) => {
    expect(usageStepFor('outcome', days(count))).toBe(step);
  });

  it('has its length in days, and one before it of the same length', () => {
    const range = rangeOf('2026-11-03T00:00:00Z', '2026-11-04T12:00:00Z');
    expect(daysIn(range)).toBe(1.5);
    expect(rangeBefore(range)).toEqual(rangeOf('2026-11-01T12:00:00Z', '2026-11-03T00:00:00Z'));
  });

  it.each([
    ['hour', '2026-11-03T10:00:00Z', '2026-11-03T13:00:00Z'],
    ['day', '2026-11-03T00:00:00Z', '2026-11-04T00:00:00Z'],
    ['month', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ] as const)('is widened to whole steps of a %s', (step, from, to) => {
    const range = rangeOf('2026-11-03T10:30:00Z', '2026-11-03T12:00:01Z');
    expect(wholeSteps(range, step, 1)).toEqual(rangeOf(from, to));
  });

  it('that ends with a step is not widened', () => {
    const range = rangeOf('2026-11-03T10:00:00Z', '2026-11-03T12:00:00Z');
    expect(wholeSteps(range, 'hour', 1)).toEqual(range);
    expect(wholeSteps(days(3), 'day', 3)).toEqual(days(3));
  });

  it('that is empty or too long is refused', () => {
    expect(() => wholeSteps(days(0), 'day', 9)).toThrow('a range has to end after it begins');
    expect(() => wholeSteps(days(-1), 'day', 9)).toThrow('a range has to end after it begins');
    expect(() => wholeSteps(days(9.5), 'day', 9)).toThrow('steps of a day is too long: 9.5 d');
  });

  it('has each of its steps, from the one that it begins in', () => {
    const range = rangeOf('2026-11-30T10:30:00Z', '2027-01-01T00:00:00Z');
    const months = ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'].map((it) => new Date(it));
    expect(stepsOf(range, 'month')).toEqual(months);
    expect(startOfStep(range.from, 'hour')).toEqual(new Date('2026-11-30T10:00:00Z'));
    expect(nextStep(range.from, 'day')).toEqual(new Date('2026-12-01T00:00:00Z'));
  });
});
