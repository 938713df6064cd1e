import { parseList } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import { headersForAllow, headersForLimitDenial } from './rate-limit-headers.ts';

const decision = {
  limits: {
    rateLimitPerMinute: 60,
    monthlyQuota: 10_000,
    remainingThisMinute: 59,
    remainingThisMonth: 2_147_483_647,
  },
  resetAfterSeconds: { minute: 12, month: 2_678_400 },
};
const denial = { retryAfterSeconds: 12 };

/** Parses a field with a library for RFC 9651, independent of the code that writes it. */
function read(field: string | undefined) {
  return parseList(field ?? '').map(([name, parameters]) => [name, Object.fromEntries(parameters)]);
}

describe('the rate limit fields', () => {
  it('report both limits of an allow, the remaining calls and the seconds of each window', () => {
    const headers = headersForAllow(decision);
    expect(read(headers['RateLimit-Policy'])).toEqual([
      ['minute', { q: 60, w: 60 }],
      ['month', { q: 10_000 }],
    ]);
    expect(read(headers.RateLimit)).toEqual([
      ['minute', { r: 59, t: 12 }],
      ['month', { r: 2_147_483_647, t: 2_678_400 }],
    ]);
  });

  it('omit the reset times that the Runtime did not report', () => {
    const { resetAfterSeconds: _, ...rest } = decision;
    expect(headersForAllow(rest).RateLimit).toBe('"minute";r=59, "month";r=2147483647');
  });

  it.each([
    ['rate_limited', 'minute'],
    ['quota_exceeded', 'month'],
  ] as const)('name the limit behind %s, with the seconds of Retry-After', (denialReason, name) => {
    const headers = headersForLimitDenial({ ...denial, denialReason });
    expect(headers['Retry-After']).toBe('12');
    expect(read(headers.RateLimit)).toEqual([[name, { r: 0, t: 12 }]]);
  });

  it('name the day between minute and month where a daily quota applies', () => {
    const { limits, resetAfterSeconds } = decision;
    const headers = headersForAllow({
      limits: { ...limits, dailyQuota: 500, remainingToday: 499 },
      resetAfterSeconds: { ...resetAfterSeconds, day: 3_600 },
    });
    expect(read(headers['RateLimit-Policy'])).toEqual([
      ['minute', { q: 60, w: 60 }],
      ['day', { q: 500, w: 86_400 }],
      ['month', { q: 10_000 }],
    ]);
    expect(read(headers.RateLimit)).toEqual([
      ['minute', { r: 59, t: 12 }],
      ['day', { r: 499, t: 3_600 }],
      ['month', { r: 2_147_483_647, t: 2_678_400 }],
    ]);
  });

  it.each(['minute', 'day', 'month'])('name the %s that a denial says was exceeded', (window) => {
    const headers = headersForLimitDenial({
      ...denial,
      denialReason: 'quota_exceeded',
      exceededLimit: { window },
    });
    expect(read(headers.RateLimit)).toEqual([[window, { r: 0, t: 12 }]]);
  });

  it('name the usual limit where a newer Runtime names a window that is not known', () => {
    const exceededLimit = { window: 'fortnight' };
    const headers = headersForLimitDenial({
      ...denial,
      denialReason: 'quota_exceeded',
      exceededLimit,
    });
    expect(read(headers.RateLimit)).toEqual([['month', { r: 0, t: 12 }]]);
  });

  it('say what is left where a call costs more', () => {
    const limits = { ...decision.limits, remainingThisMonth: 3 };
    const headers = headersForLimitDenial({ ...denial, denialReason: 'quota_exceeded', limits });
    expect(read(headers.RateLimit)).toEqual([['month', { r: 3, t: 12 }]]);
  });

  it('report both policies on a denial by a limit, where the Runtime reports them', () => {
    const { limits } = decision;
    const headers = headersForLimitDenial({ ...denial, denialReason: 'rate_limited', limits });
    expect(read(headers['RateLimit-Policy'])).toEqual([
      ['minute', { q: 60, w: 60 }],
      ['month', { q: 10_000 }],
    ]);
  });

  it('are absent from every other denial', () => {
    for (const denialReason of ['missing_api_key', 'policy_no_match', 'toString']) {
      expect(headersForLimitDenial({ ...denial, denialReason })).toEqual({});
    }
  });
});
