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
