import { describe, expect, it } from 'vitest';
import {
  exactTime,
  instantOf,
  LOCAL_TIME_BOUNDS,
  localText,
  logTime,
  parseDay,
  parseMinute,
  relativeHour,
  relativeTime,
  timeBetween,
} from './time.ts';

describe('relativeTime', () => {
  const now = new Date('2026-11-21T14:06:00Z');

  it.each([
    ['2026-12-01T00:00:00Z', 'in 9 days'],
    ['2026-11-20T02:00:00Z', '1 day ago'],
    ['2026-11-08T14:00:00Z', '13 days ago'],
    ['2026-12-31T00:00:00Z', 'in 1 month'],
    ['2025-11-20T00:00:00Z', '1 year ago'],
    ['2026-11-21T11:06:00Z', '3 hours ago'],
    ['2026-11-21T14:05:55Z', 'just now'],
  ])('shows %s as %s', (instant, words) => {
    expect(relativeTime(new Date(instant), now)).toBe(words);
  });
});

describe('relativeHour', () => {
  const now = new Date('2026-11-21T14:06:00Z');

  it.each([
    ['2026-11-21T14:00:00Z', 'this hour'],
    ['2026-11-21T13:00:00Z', 'an hour ago'],
    ['2026-11-21T11:00:00Z', '3 hours ago'],
    ['2026-11-20T15:00:00Z', '23 hours ago'],
    ['2026-11-19T14:00:00Z', '2 days ago'],
  ])('shows the hour from %s as %s', (hour, words) => {
    expect(relativeHour(new Date(hour), now)).toBe(words);
  });

  it('shows a future hour as this hour, for a clock that is behind', () => {
    expect(relativeHour(new Date('2026-11-21T15:00:00Z'), now)).toBe('this hour');
  });
});

describe('the time of a request', () => {
  it('is shown in UTC, with its seconds', () => {
    expect(exactTime(new Date('2026-11-20T14:05:09.999Z'))).toBe('20 Nov 2026, 14:05:09 UTC');
  });

  it.each([
    ['2026-11-21T00:00:00Z', '00:00:00'],
    ['2026-11-20T23:59:59Z', '20 Nov, 23:59:59'],
    ['2026-11-22T00:00:01Z', '22 Nov, 00:00:01'],
  ])('in a list has a day unless it is today, in UTC: %s', (instant, text) => {
    expect(logTime(new Date(instant), new Date('2026-11-21T14:06:00Z'))).toBe(text);
  });
});

describe('parseDay', () => {
  it.each(['2000-01-01', '2028-02-29', '9998-12-31'])('parses %s', (text) => {
    expect(parseDay(text)?.toISOString()).toBe(`${text}T00:00:00.000Z`);
  });

  it.each(['', '2026-02-30', '2026-2-3', '0000-01-01', '0026-11-21', '1999-12-31', '9999-12-31'])(
    'refuses %j',
    (text) => {
      expect(parseDay(text)).toBeNull();
    },
  );
});

describe('a datetime-local field', () => {
  it.each(['2027-01-31T12:00', ...Object.values(LOCAL_TIME_BOUNDS)])('round-trips %s', (typed) => {
    const instant = instantOf(typed);
    expect(instant && localText(instant)).toBe(typed);
  });

  it.each(['', 'tomorrow', '2027-13-01T00:00'])('reads %j as no time', (typed) => {
    expect(instantOf(typed)).toBeNull();
  });

  it('has bounds that exclude a year with two digits', () => {
    expect('0026-11-21T10:00' < LOCAL_TIME_BOUNDS.min).toBe(true);
  });
});

describe('parseMinute', () => {
  it('returns the minute in UTC', () => {
    expect(parseMinute('2026-11-21T14:06')).toEqual(new Date('2026-11-21T14:06:00Z'));
  });

  it.each([
    '',
    '2026-11-21',
    '2026-11-21T24:00',
    '2026-02-30T10:00',
    '1999-12-31T10:00',
    '2026-11-21T10:00:00',
  ])('returns null for "%s"', (text) => {
    expect(parseMinute(text)).toBeNull();
  });
});

describe('timeBetween', () => {
  it('is in the coarsest unit that fits', () => {
    const from = new Date('2026-11-25T08:13:00Z');
    const later = (seconds: number) => timeBetween(from, new Date(from.getTime() + seconds * 1000));
    expect(later(0)).toBe('0 seconds');
    expect(later(1)).toBe('1 second');
    expect(later(60)).toBe('1 minute');
    expect(later(3_599)).toBe('59 minutes');
    expect(later(7_200)).toBe('2 hours');
    expect(later(90_000)).toBe('1 day');
  });
});
