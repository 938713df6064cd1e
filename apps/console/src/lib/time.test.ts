import { describe, expect, it } from 'vitest';
import { relativeHour } from './time.ts';

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
