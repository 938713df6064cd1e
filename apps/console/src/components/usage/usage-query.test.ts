import { describe, expect, it } from 'vitest';
import { comparedRange, csvRefusal, parseUsageQuery } from './usage-query.ts';

const now = new Date('2026-11-20T14:35:00Z');
const spanOf = (query: Record<string, string>) => {
  const { choice, from, to, refusal } = parseUsageQuery(query, now);
  return [choice, from.toISOString(), to.toISOString(), refusal];
};

describe('parseUsageQuery', () => {
  it('returns whole hours or days that end with the current one', () => {
    expect(spanOf({ range: '24h' })).toEqual([
      '24h',
      '2026-11-19T15:00:00.000Z',
      '2026-11-20T15:00:00.000Z',
      undefined,
    ]);
    expect(spanOf({ range: '30d' })).toEqual([
      '30d',
      '2026-10-22T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
      undefined,
    ]);
  });

  it('returns the days of this month, which the monthly quota counts', () => {
    expect(spanOf({ range: 'month' })).toEqual([
      'month',
      '2026-11-01T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
      undefined,
    ]);
  });

  it('compares a range of up to ninety days with the one before', () => {
    expect(comparedRange(parseUsageQuery({ range: 'month' }, now))).toEqual({
      from: new Date('2026-10-12T00:00:00.000Z'),
      to: new Date('2026-11-01T00:00:00.000Z'),
    });
    expect(comparedRange(parseUsageQuery({ range: '1y' }, now))).toBeUndefined();
  });

  it('returns seven days for an unknown range', () => {
    expect(spanOf({ range: 'unknown' })).toEqual(spanOf({}));
    expect(spanOf({})[0]).toBe('7d');
  });

  it('includes the first and the last day', () => {
    expect(spanOf({ from: '2026-02-28', to: '2026-02-28' })).toEqual([
      'custom',
      '2026-02-28T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
      undefined,
    ]);
  });

  it.each([
    ['2026-02-30', '2026-03-01', 'Choose the first and the last day.'],
    ['2026-02-01', '', 'Choose the first and the last day.'],
    ['2026-02-02', '2026-02-01', 'The last day must not be before the first.'],
    ['2000-01-01', '2026-02-01', 'At most five years can be shown at once.'],
  ])('refuses %s to %s, keeps the typed days and shows seven days', (first, last, refusal) => {
    expect(parseUsageQuery({ from: first, to: last }, now)).toMatchObject({
      choice: '7d',
      firstDay: first,
      lastDay: last,
      refusal,
    });
  });

  it.each([
    [{ range: '1y' }, undefined],
    [{ from: '2025-01-01', to: '2026-02-04' }, undefined],
    [{ from: '2025-01-01', to: '2026-02-05' }, 'A CSV file holds at most 400 days.'],
    [{ from: '2026-02-02', to: '2026-02-01' }, 'The last day must not be before the first.'],
  ])('has a CSV file of %o, or says why not', (query, refusal) => {
    expect(csvRefusal(parseUsageQuery(query, now))).toBe(refusal);
  });
});
