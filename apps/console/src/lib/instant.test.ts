import { describe, expect, it } from 'vitest';
import {
  dayOf,
  instantInField,
  instantOf,
  LOCAL_TIME_BOUNDS,
  localText,
  minuteText,
  parseDay,
  parseMinute,
} from './instant.ts';

describe('dayOf', () => {
  const HOUR_MS = 3_600_000;

  it.each([
    ['Europe/Berlin', '2026-03-29T10:00Z', '2026-03-28T23:00Z', 23],
    ['Europe/Berlin', '2026-10-25T10:00Z', '2026-10-24T22:00Z', 25],
    ['Europe/Berlin', '2026-10-25T23:00Z', '2026-10-25T23:00Z', 24],
    ['America/St_Johns', '2026-03-08T12:00Z', '2026-03-08T03:30Z', 23],
    ['America/St_Johns', '2026-11-01T12:00Z', '2026-11-01T02:30Z', 25],
    ['America/St_Johns', '2026-11-02T03:29Z', '2026-11-01T02:30Z', 25],
    // Its clocks skip midnight.
    ['America/Havana', '2026-03-08T12:00Z', '2026-03-08T05:00Z', 23],
    ['UTC', '2026-11-21T23:59Z', '2026-11-21T00:00Z', 24],
  ])('in %s, of %s, begins at %s and has %i hours', (timeZone, at, start, hours) => {
    const { from, to } = dayOf(new Date(at), timeZone);
    expect(from).toEqual(new Date(start));
    expect((to.getTime() - from.getTime()) / HOUR_MS).toBe(hours);
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
  const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu'];
  const TYPED = ['2027-01-31T12:00', '2026-07-01T00:00', ...Object.values(LOCAL_TIME_BOUNDS)];

  it.each(ZONES.flatMap((zone) => TYPED.map((typed) => [zone, typed] as const)))(
    'in %s round-trips %s',
    (timeZone, typed) => {
      const instant = instantOf(typed, timeZone);
      expect(instant && localText(instant, timeZone)).toBe(typed);
    },
  );

  it.each([
    ['Europe/Berlin', '2026-11-20T14:05', '2026-11-20T13:05Z'],
    ['Europe/Berlin', '2026-07-20T14:05', '2026-07-20T12:05Z'],
    ['America/St_Johns', '2026-11-20T14:05', '2026-11-20T17:35Z'],
    // Skipped, and given twice.
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30Z'],
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30Z'],
    ['America/St_Johns', '2026-03-08T02:30', '2026-03-08T06:00Z'],
    ['America/St_Johns', '2026-11-01T01:30', '2026-11-01T04:00Z'],
  ])('in %s reads %s as %s', (timeZone, typed, instant) => {
    expect(instantOf(typed, timeZone)).toEqual(new Date(instant));
  });

  it.each(['', 'tomorrow', '2027-13-01T00:00'])('reads %j as no time', (typed) => {
    expect(instantOf(typed, 'Europe/Berlin')).toBeNull();
  });

  it.each(
    ['UTC', 'Europe/Berlin', 'America/New_York'].flatMap((zone) =>
      ['0002', '0202', '1999', '9999', '99999'].map((year) => [zone, year] as const),
    ),
  )('in %s reads the year %s as no time', (timeZone, year) => {
    expect(instantOf(`${year}-12-31T23:59`, timeZone)).toBeNull();
    expect(instantInField(`${year}-01-01T00:00`, new Date(), timeZone)).toBeNull();
  });

  it('keeps the instant that it shows, with its second and the second of two equal hours', () => {
    const shown = new Date('2026-10-25T01:30:42Z');
    expect(instantInField('2026-10-25T02:30', shown, 'Europe/Berlin')).toBe(shown);
    expect(instantInField('2026-10-25T02:31', shown, 'Europe/Berlin')).toEqual(
      new Date('2026-10-25T00:31Z'),
    );
  });

  it('has bounds that exclude a year with two digits', () => {
    expect('0026-11-21T10:00' < LOCAL_TIME_BOUNDS.min).toBe(true);
  });
});

describe('parseMinute', () => {
  it.each([
    '2026-11-21T14:06Z',
    '2026-11-21T14:06:30Z',
    '2026-11-21T14:06:30.5Z',
    '2026-11-21T14:06',
  ])('returns the minute of the instant %s in an address', (text) => {
    expect(parseMinute(text)).toEqual(new Date('2026-11-21T14:06:00Z'));
  });

  it('reads what minuteText writes', () => {
    expect(minuteText(new Date('2026-11-21T14:06:30Z'))).toBe('2026-11-21T14:06Z');
  });

  it.each([
    '',
    '2026-11-21',
    '2026-11-21T24:00Z',
    '2026-02-30T10:00Z',
    '1999-12-31T10:00Z',
    '2026-11-21T10:00+01:00',
  ])('returns null for "%s"', (text) => {
    expect(parseMinute(text)).toBeNull();
  });
});
