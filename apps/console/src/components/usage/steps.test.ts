import { describe, expect, it } from 'vitest';
import { axisMax, shareMax, stepName, zoneNote } from './steps.ts';

describe('axisMax', () => {
  it.each([
    [0, 2],
    [1, 2],
    [3, 4],
    [10, 10],
    [11, 20],
    [4_900, 6_000],
    [540, 600],
    [21, 30],
    [51, 60],
    [999_999, 1_000_000],
  ])('rounds %i up to %i', (highest, max) => {
    expect(axisMax(highest)).toBe(max);
  });
});

describe('shareMax', () => {
  it.each([
    [0.001, 0.05],
    [0.05, 0.05],
    [0.07, 0.1],
    [0.51, 1],
  ])('rounds %f up to %f', (highest, max) => {
    expect(shareMax(highest)).toBe(max);
  });
});

describe('stepName', () => {
  it('names the hour, day or month in UTC', () => {
    const at = new Date('2026-11-20T23:00:00Z');
    expect(stepName(at, 'hour', 'UTC')).toBe('20 Nov, 23:00');
    expect(stepName(at, 'day', 'UTC')).toBe('20 Nov 2026');
    expect(stepName(at, 'month', 'UTC')).toBe('Nov 2026');
  });

  it('names the hour in another time zone, but the day in UTC, in which days are counted', () => {
    const at = new Date('2026-11-20T23:00:00Z');
    expect(stepName(at, 'hour', 'Asia/Tokyo')).toBe('21 Nov, 08:00');
    expect(stepName(at, 'day', 'Asia/Tokyo')).toBe('20 Nov 2026');
  });
});

describe('zoneNote', () => {
  it('names the zone of hours, and UTC for what is counted by day or month', () => {
    expect(zoneNote('hour', 'Asia/Tokyo')).toBe('Hours are in Asia/Tokyo.');
    expect(zoneNote('day', 'Asia/Tokyo')).toBe('Days are counted in UTC.');
    expect(zoneNote('month', 'Asia/Tokyo')).toBe('Months are counted in UTC.');
  });
});
