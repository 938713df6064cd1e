import { LIMIT_DENIALS, type LimitDenial } from './sets.ts';

/*
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11: lists of quoted
 * policy names with parameters. `q` is the quota, `w` the window in seconds, `r` the available
 * calls, `t` the seconds within which no more than these can be made. A calendar month has no fixed
 * length, so the month's policy names no window.
 */

type HeaderFields = Record<string, string>;

/** What the fields need of an allow; counts are calls, times are seconds. */
export interface AllowedLimits {
  readonly limits: {
    readonly rateLimitPerMinute: number;
    readonly monthlyQuota: number;
    readonly remainingThisMinute: number;
    readonly remainingThisMonth: number;
  };
  readonly resetAfterSeconds?: { readonly minute: number; readonly month: number } | undefined;
}

/** What the fields need of a denial; a Runtime of an earlier version sends neither number. */
export interface DeniedLimits {
  readonly denialReason: string;
  readonly limits?: AllowedLimits['limits'] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The rate limit headers of an allowed request. */
export function headersForAllow({ limits, resetAfterSeconds: reset }: AllowedLimits): HeaderFields {
  return {
    'RateLimit-Policy': policyField(limits),
    RateLimit:
      `"minute";r=${limits.remainingThisMinute}${parameter('t', reset?.minute)}, ` +
      `"month";r=${limits.remainingThisMonth}${parameter('t', reset?.month)}`,
  };
}

/**
 * The rate limit headers of a request over a limit, `Retry-After` in seconds among them; none for
 * every other denial.
 */
export function headersForLimitDenial(denial: DeniedLimits): HeaderFields {
  const { denialReason, limits, retryAfterSeconds } = denial;
  const reason = LIMIT_DENIALS.find((name) => name === denialReason);
  if (reason === undefined) return {};
  return {
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...(limits === undefined ? {} : { 'RateLimit-Policy': policyField(limits) }),
    RateLimit: `"${POLICY_NAMES[reason]}";r=0${parameter('t', retryAfterSeconds)}`,
  };
}

const POLICY_NAMES = {
  rate_limited: 'minute',
  quota_exceeded: 'month',
} as const satisfies Record<LimitDenial, string>;

function policyField({ rateLimitPerMinute, monthlyQuota }: AllowedLimits['limits']): string {
  return `"minute";q=${rateLimitPerMinute};w=60, "month";q=${monthlyQuota}`;
}

function parameter(name: string, value: number | undefined): string {
  return value === undefined ? '' : `;${name}=${value}`;
}
