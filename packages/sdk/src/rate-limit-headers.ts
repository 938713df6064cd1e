import type { AllowDecision, DenyDecision } from './types.ts';

/*
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10: lists of quoted
 * policy names with parameters. `q` is the quota, `w` the window in seconds, `r` the remaining
 * calls, `t` the seconds until the quota is full again. A calendar month has no fixed length, so the
 * month's policy names no window.
 */

type HeaderFields = Record<string, string>;

/** The rate limit headers of an allowed request. */
export function headersForAllow(decision: AllowDecision): HeaderFields {
  const { limits, resetAfterSeconds: reset } = decision;
  return {
    'RateLimit-Policy': policyField(limits.rateLimitPerMinute, limits.monthlyQuota),
    RateLimit:
      `"minute";r=${limits.remainingThisMinute}${parameter('t', reset?.minute)}, ` +
      `"month";r=${limits.remainingThisMonth}${parameter('t', reset?.month)}`,
  };
}

/** The rate limit headers of a request over a limit; none for every other denial. */
export function headersForLimitDenial(decision: DenyDecision): HeaderFields {
  const window = WINDOWS.get(decision.denialReason);
  if (window === undefined) return {};
  const { retryAfterSeconds, limits } = decision;
  return {
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...(limits === undefined
      ? {}
      : { 'RateLimit-Policy': policyField(limits.rateLimitPerMinute, limits.monthlyQuota) }),
    RateLimit: `"${window}";r=0${parameter('t', retryAfterSeconds)}`,
  };
}

const WINDOWS: ReadonlyMap<string, 'minute' | 'month'> = new Map([
  ['rate_limited', 'minute'],
  ['quota_exceeded', 'month'],
]);

function policyField(rateLimitPerMinute: number, monthlyQuota: number): string {
  return `"minute";q=${rateLimitPerMinute};w=60, "month";q=${monthlyQuota}`;
}

function parameter(name: string, value: number | undefined): string {
  return value === undefined ? '' : `;${name}=${value}`;
}
