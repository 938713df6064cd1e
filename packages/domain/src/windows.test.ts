import { describe, expect, it } from 'vitest';
import { monthOf, secondsLeft, WINDOWS, windowOfPeriod } from './windows.ts';

describe('a window', () => {
  it.each([
    [0, 60],
    [1, 60],
    [1000, 59],
    [59_000, 1],
    [59_999, 1],
    // Redis's clock may be past the window by the time of the reply.
    [60_000, 1],
    [90_000, 1],
  ])('of a minute has, %i ms into it, %i s left', (ms, seconds) => {
    expect(secondsLeft(WINDOWS.minute, 7, 7 * 60_000 + ms)).toBe(seconds);
  });

  it.each([
    ['2026-11-30T23:59:00.000Z', 60],
    ['2026-11-30T23:59:59.001Z', 1],
    ['2026-12-31T23:00:00.000Z', 3600],
    ['2028-02-28T00:00:00.000Z', 2 * 86_400],
    ['2026-01-01T00:00:00.000Z', 31 * 86_400],
  ])('of a month ends in UTC: at %s it has %i s left', (instant, seconds) => {
    const at = new Date(instant);
    const month = monthOf(at);
    expect(secondsLeft(WINDOWS.month, month, at.getTime())).toBe(seconds);
    expect(monthOf(new Date(WINDOWS.month.startOf(month)))).toBe(month);
  });

  it('of a month is numbered by year × 12 + month', () => {
    expect(monthOf(new Date('2026-11-30T23:59:59Z'))).toBe(2026 * 12 + 10);
    expect(WINDOWS.month.startOf(2026 * 12 + 10)).toBe(Date.UTC(2026, 10));
  });

  it.each([
    [1, '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    [15, '2026-11-15T00:00:00Z', '2026-12-15T00:00:00Z'],
    [28, '2026-10-28T00:00:00Z', '2026-11-28T00:00:00Z'],
    [0, '2026-11-18T00:00:00Z', '2026-11-19T00:00:00Z'],
  ])('of period %i contains 18 November from %s to %s', (period, from, to) => {
    const window = windowOfPeriod(period);
    const number = window.numberAt(Date.parse('2026-11-18T23:59:59.999Z'));
    expect(window.startOf(number)).toBe(Date.parse(from));
    expect(window.startOf(number + 1)).toBe(Date.parse(to));
  });

  it('of a period other than a day or the days 1 to 28 of a month does not exist', () => {
    for (const period of [29, -1, 0.5]) expect(() => windowOfPeriod(period)).toThrow(RangeError);
  });

  it('of an hour is counted from 1970', () => {
    const hours = [0, 59, 60, 119, 120].map((minute) => WINDOWS.hour.numberAt(minute * 60_000));
    expect(hours).toEqual([0, 0, 1, 1, 2]);
  });
});
