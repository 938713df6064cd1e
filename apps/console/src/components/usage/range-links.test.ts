import { describe, expect, it } from 'vitest';
import { barHref, keptNote, keptRequests, requestsIn } from './range-links.ts';

const kept = keptRequests(7, new Date('2026-11-22T14:05:00Z'));
const day = (text: string) => new Date(`${text}T00:00:00Z`);
const range = (from: string, to: string) => ({ from: day(from), to: day(to) });

describe('keptRequests', () => {
  it('are those of whole days in UTC, as the log drops them', () => {
    expect(kept).toEqual({ days: 7, since: day('2026-11-15') });
  });
});

describe('keptNote', () => {
  it('says how long requests are kept, of a range that begins before them', () => {
    expect(keptNote(kept, range('2026-11-14', '2026-11-16'))).toBe('Requests are kept for 7 days.');
    expect(keptNote(kept, range('2026-11-15', '2026-11-16'))).toBe('');
  });
});

describe('requestsIn', () => {
  it('leads to the requests of the range, and nowhere if all of it is before the log', () => {
    const fields = { reason: 'rate_limited' };
    expect(requestsIn('p1', range('2026-11-01', '2026-11-16'), kept, fields)).toBe(
      '/projects/p1/requests?reason=rate_limited&from=2026-11-01T00%3A00Z&to=2026-11-15T23%3A59Z',
    );
    expect(requestsIn('p1', range('2026-11-01', '2026-11-15'), kept, fields)).toBeNull();
  });
});

describe('barHref', () => {
  const here = '/projects/p1/keys/k1';
  const place = { projectId: 'p1', here, query: { range: '90d', other: 'kept' }, kept };

  it.each(['day', 'month'] as const)('narrows the page to the days of a bar per %s', (step) => {
    const hrefOf = barHref({ ...place, step });
    expect(hrefOf(day('2026-10-01'), day('2026-11-01'))).toBe(
      `${here}?other=kept&from=2026-10-01&to=2026-10-31`,
    );
  });

  it('leads from an hour to its requests, with the key of the chart, while they are kept', () => {
    const hrefOf = barHref({ ...place, step: 'hour', apiKeyId: 'k1' });
    const hour = (text: string) => new Date(`${text}:00:00Z`);
    expect(hrefOf(hour('2026-11-15T00'), hour('2026-11-15T01'))).toBe(
      '/projects/p1/requests?key=k1&from=2026-11-15T00%3A00Z&to=2026-11-15T00%3A59Z',
    );
    expect(hrefOf(hour('2026-11-14T23'), hour('2026-11-15T00'))).toBeNull();
  });
});
