import { describe, expect, it } from 'vitest';
import { isWithinDay } from './recent-use.ts';

describe('a use within the last 24 hours', () => {
  const now = new Date('2026-11-28T09:30:00Z');

  it.each([
    ['2026-11-27T09:31:00Z', 'moment'],
    ['2026-11-27T09:00:00Z', 'hour'],
    // Yesterday, as a whole.
    ['2026-11-27T00:00:00Z', 'day'],
  ] as const)('may be %s, exact to the %s', (at, exactTo) => {
    expect(isWithinDay(at, exactTo, now)).toBe(true);
  });

  it.each([
    ['2026-11-27T09:29:00Z', 'moment'],
    ['2026-11-27T08:00:00Z', 'hour'],
    ['2026-11-26T00:00:00Z', 'day'],
  ] as const)('is not %s, exact to the %s', (at, exactTo) => {
    expect(isWithinDay(at, exactTo, now)).toBe(false);
  });
});
