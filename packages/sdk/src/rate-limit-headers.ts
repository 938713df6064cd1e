import type { AllowDecision, DenyDecision } from './types.ts';

/*
 * `RateLimit` and `RateLimit-Policy` as draft-ietf-httpapi-ratelimit-headers-10 writes them: lists
 * of quoted policy names with parameters. `q` is the quota, `w` the window in seconds, `r` what
 * remains, `t` the seconds until it is full again. A calendar month has no fixed length, so the
 * month's policy names no window.
 */

type HeaderFields = Record<string, string>;

/** What an allowed request is told of its limits. */
export function headersForAllow(decision: AllowDecision): HeaderFields {
  const { limits, resetAfterSeconds: reset } = decision;
  return {
    'RateLimit-Policy': policyField(limits.rateLimitPerMinute, limits.monthlyQuota),
    RateLimit:
      `"minute";r=${limits.remainingThisMinute}${parameter('t', reset?.minute)}, ` +
      `"month";r=${limits.remainingThisMonth}${parameter('t', reset?.month)}`,
  };
}

/** What a request over a limit is told; nothing for every other denial. */
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
