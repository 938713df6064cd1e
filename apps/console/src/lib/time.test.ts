import { describe, expect, it } from 'vitest';
import {
  instantOf,
  LOCAL_TIME_BOUNDS,
  localText,
  parseDay,
  relativeHour,
  relativeTime,
} from './time.ts';

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

describe('a day in an address', () => {
  it.each(['2000-01-01', '2028-02-29', '9998-12-31'])('takes %s', (text) => {
    expect(parseDay(text)?.toISOString()).toBe(`${text}T00:00:00.000Z`);
  });

  it.each(['', '2026-02-30', '2026-2-3', '0000-01-01', '0026-11-21', '1999-12-31', '9999-12-31'])(
    'refuses %j',
    (text) => {
      expect(parseDay(text)).toBeNull();
    },
  );
});

describe('a time in a field of the browser', () => {
  it.each(['2027-01-31T12:00', ...Object.values(LOCAL_TIME_BOUNDS)])('gives %s back', (typed) => {
    const instant = instantOf(typed);
    expect(instant && localText(instant)).toBe(typed);
  });

  it.each(['', 'tomorrow', '2027-13-01T00:00'])('takes %j for no instant', (typed) => {
    expect(instantOf(typed)).toBeNull();
  });

  it('leaves a year of two digits out', () => {
    expect('0026-11-21T10:00' < LOCAL_TIME_BOUNDS.min).toBe(true);
  });
});
