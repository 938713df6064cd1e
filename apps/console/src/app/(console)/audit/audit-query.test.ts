import { describe, expect, it } from 'vitest';
import { parseAuditQuery } from './audit-query.ts';

const NOW = new Date('2026-11-21T15:00:00Z');
const DAY_MS = 86_400_000;

describe('parseAuditQuery', () => {
  it('selects the whole log without a filter', () => {
    expect(parseAuditQuery({}, NOW)).toMatchObject({ filter: {}, from: '', isFiltered: false });
  });

  it('includes the whole last day', () => {
    const { filter } = parseAuditQuery({ from: '2020-01-31', to: '2026-11-20' }, NOW);
    expect(filter).toEqual({ from: new Date('2020-01-31'), to: new Date('2026-11-21') });
  });

  it('includes the whole last minute, and shows a day as its minutes', () => {
    const query = { from: '2026-11-20', to: '2026-11-20T14:05Z' };
    expect(parseAuditQuery(query, NOW)).toMatchObject({
      filter: { from: new Date('2026-11-20'), to: new Date('2026-11-20T14:06Z') },
      from: '2026-11-20T00:00Z',
      to: '2026-11-20T14:05Z',
    });
    expect(parseAuditQuery({ to: '2026-11-20' }, NOW).to).toBe('2026-11-20T23:59Z');
  });

  it.each([
    {},
    { from: '1970-01-01' },
    { to: '2024-02-29' },
    { from: '1970-01-01', to: '2024-02-29' },
    { from: 'nonsense' },
  ])('searches at most a year for a text and returns its start: %j', (days) => {
    const { filter, searchedSince } = parseAuditQuery({ q: 'owner', ...days }, NOW);
    const { from, to = NOW } = filter;
    if (from === undefined) throw new Error('the range is open');
    expect(to.getTime() - from.getTime()).toBeLessThanOrEqual(366 * DAY_MS);
    expect(to.getTime() - from.getTime()).toBeGreaterThan(365 * DAY_MS);
    expect(searchedSince).toBe(from);
  });

  it('keeps a narrower range of a text search', () => {
    const asked = parseAuditQuery({ q: 'owner', from: '2026-11-01' }, NOW);
    expect(asked.filter.from).toEqual(new Date('2026-11-01'));
    expect(asked).toMatchObject({ from: '2026-11-01T00:00Z', searchedSince: null });
  });
});
