import { describe, expect, it } from 'vitest';
import {
  dayName,
  hourName,
  logTime,
  minuteTime,
  monthName,
  presentFor,
  relativeHour,
  relativeTime,
  secondTime,
  timeBetween,
  timeOfDay,
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

describe('presentFor', () => {
  const lastTick = new Date('2026-11-21T14:06:00Z');
  const now = new Date('2026-11-21T14:06:25Z');
  const shown = (instant: string) =>
    relativeTime(new Date(instant), presentFor(new Date(instant), lastTick, now));

  it('shows what the page received since its last tick as past', () => {
    expect(shown('2026-11-21T14:06:14Z')).toBe('11 seconds ago');
  });

  it('leaves all else to the ticks, so that the times of a page change together', () => {
    expect(shown('2026-11-21T14:05:30Z')).toBe('30 seconds ago');
    expect(shown('2026-11-21T15:06:25Z')).toBe('in 1 hour');
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

describe('a point in time', () => {
  const at = new Date('2026-11-20T23:05:09.999Z');

  it.each([
    [
      minuteTime,
      '20 Nov 2026, 23:05 UTC',
      '21 Nov 2026, 00:05 UTC+1',
      '20 Nov 2026, 19:35 UTC-3:30',
    ],
    [
      secondTime,
      '20 Nov 2026, 23:05:09 UTC',
      '21 Nov 2026, 00:05:09 UTC+1',
      '20 Nov 2026, 19:35:09 UTC-3:30',
    ],
    [dayName, '20 Nov 2026', '21 Nov 2026', '20 Nov 2026'],
    [monthName, 'Nov 2026', 'Nov 2026', 'Nov 2026'],
    [hourName, '20 Nov, 23:05', '21 Nov, 00:05', '20 Nov, 19:35'],
    [timeOfDay, '23:05', '00:05', '19:35'],
  ])('is written in its zone: %#', (form, utc, berlin, stJohns) => {
    expect(form(at, 'UTC')).toBe(utc);
    expect(form(at, 'Europe/Berlin')).toBe(berlin);
    expect(form(at, 'America/St_Johns')).toBe(stJohns);
  });

  it('distinguishes the two hours to which a change of the clocks gives one name', () => {
    const [first, second] = [new Date('2026-10-25T00:30Z'), new Date('2026-10-25T01:30Z')];
    expect(minuteTime(first, 'Europe/Berlin')).toBe('25 Oct 2026, 02:30 UTC+2');
    expect(minuteTime(second, 'Europe/Berlin')).toBe('25 Oct 2026, 02:30 UTC+1');
  });

  it('names UTC where another zone has its time', () => {
    expect(minuteTime(at, 'Europe/London')).toBe('20 Nov 2026, 23:05 UTC');
    const summer = new Date('2026-07-01T12:00Z');
    expect(minuteTime(summer, 'Europe/London')).toBe('1 Jul 2026, 13:00 UTC+1');
  });
});

describe('the time of a request', () => {
  it.each([
    ['2026-11-21T00:00:00Z', 'UTC', '00:00:00'],
    ['2026-11-20T23:59:59Z', 'UTC', '20 Nov, 23:59:59'],
    ['2026-11-22T00:00:01Z', 'UTC', '22 Nov, 00:00:01'],
    ['2026-11-20T23:59:59Z', 'Europe/Berlin', '00:59:59'],
    ['2026-11-20T22:59:59Z', 'Europe/Berlin', '20 Nov, 23:59:59'],
  ])('in a list has a day unless it is today in the zone: %s, %s', (instant, timeZone, text) => {
    expect(logTime(new Date(instant), new Date('2026-11-21T14:06:00Z'), timeZone)).toBe(text);
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
