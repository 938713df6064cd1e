import { describe, expect, it } from 'vitest';
import { relativeHour, relativeTime } from './time.ts';

describe('a time beside now', () => {
  const now = new Date('2026-11-21T14:06:00Z');

  it.each([
    ['2026-12-01T00:00:00Z', 'in 9 days'],
    ['2026-11-20T02:00:00Z', '1 day ago'],
    ['2026-11-08T14:00:00Z', '13 days ago'],
    ['2026-12-31T00:00:00Z', 'in 1 month'],
    ['2025-11-20T00:00:00Z', '1 year ago'],
    ['2026-11-21T11:06:00Z', '3 hours ago'],
    ['2026-11-21T14:05:55Z', 'just now'],
  ])('%s is %s, whatever day of the week it is', (instant, words) => {
    expect(relativeTime(new Date(instant), now)).toBe(words);
  });
});

describe('what is known by the hour alone', () => {
  const now = new Date('2026-11-21T14:06:00Z');

  it.each([
    ['2026-11-21T14:00:00Z', 'this hour'],
    ['2026-11-21T13:00:00Z', 'an hour ago'],
    ['2026-11-21T11:00:00Z', '3 hours ago'],
    ['2026-11-20T15:00:00Z', '23 hours ago'],
    ['2026-11-19T14:00:00Z', '2 days ago'],
  ])('in the hour from %s was %s', (hour, words) => {
    expect(relativeHour(new Date(hour), now)).toBe(words);
  });

  it('is this hour for a page whose clock is behind', () => {
    expect(relativeHour(new Date('2026-11-21T15:00:00Z'), now)).toBe('this hour');
  });
});
