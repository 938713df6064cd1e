import { LIMIT_DENIALS, LIMIT_WINDOWS, type LimitDenial, type LimitWindow } from './sets.ts';

/*
 * `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11: lists of quoted
 * policy names with parameters. `q` is the quota, `w` the window in seconds, `r` the available
 * units, `t` the seconds within which no more than these can be used. A calendar month has no fixed
 * length, so the month's policy names no window.
 */

type HeaderFields = Record<string, string>;

/** What the fields need of an allow; times are seconds. */
export interface AllowedLimits {
  readonly limits: {
    readonly rateLimitPerMinute: number;
    readonly monthlyQuota: number;
    readonly remainingThisMinute: number;
    readonly remainingThisMonth: number;
    /** Only where a daily quota applies, as the next. */
    readonly dailyQuota?: number | undefined;
    readonly remainingToday?: number | undefined;
  };
  readonly resetAfterSeconds?:
    | { readonly minute: number; readonly month: number; readonly day?: number | undefined }
    | undefined;
}

/** What the fields need of a denial; a Runtime of an earlier version may send the reason alone. */
export interface DeniedLimits {
  readonly denialReason: string;
  readonly limits?: AllowedLimits['limits'] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly exceededLimit?: { readonly window: string } | undefined;
}

/** The rate limit headers of an allowed request. */
export function headersForAllow({ limits, resetAfterSeconds: reset }: AllowedLimits): HeaderFields {
  const remaining = remainingOf(limits);
  const left = LIMIT_WINDOWS.filter((window) => remaining[window] !== undefined).map(
    (window) => `"${window}";r=${remaining[window]}${parameter('t', reset?.[window])}`,
  );
  return { 'RateLimit-Policy': policyField(limits), RateLimit: left.join(', ') };
}

/**
 * The rate limit headers of a request over a limit, `Retry-After` in seconds among them; none for
 * every other denial.
 */
export function headersForLimitDenial(denial: DeniedLimits): HeaderFields {
  const { denialReason, limits, retryAfterSeconds, exceededLimit } = denial;
  const reason = LIMIT_DENIALS.find((name) => name === denialReason);
  if (reason === undefined) return {};
  const exceeded = LIMIT_WINDOWS.find((name) => name === exceededLimit?.window);
  const window = exceeded ?? USUAL_WINDOW[reason];
  return {
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...(limits === undefined ? {} : { 'RateLimit-Policy': policyField(limits) }),
    // A call that costs more than is left leaves what there is.
    RateLimit: `"${window}";r=${(limits && remainingOf(limits)[window]) ?? 0}${parameter('t', retryAfterSeconds)}`,
  };
}

/** Where a denial does not say which limit refused. */
const USUAL_WINDOW = {
  rate_limited: 'minute',
  quota_exceeded: 'month',
} as const satisfies Record<LimitDenial, LimitWindow>;

const remainingOf = (
  limits: AllowedLimits['limits'],
): Readonly<Record<LimitWindow, number | undefined>> => ({
  minute: limits.remainingThisMinute,
  day: limits.remainingToday,
  month: limits.remainingThisMonth,
});

function policyField(limits: AllowedLimits['limits']): string {
  const { rateLimitPerMinute, dailyQuota, monthlyQuota } = limits;
  const day = dailyQuota === undefined ? '' : `"day";q=${dailyQuota};w=86400, `;
  return `"minute";q=${rateLimitPerMinute};w=60, ${day}"month";q=${monthlyQuota}`;
}

function parameter(name: string, value: number | undefined): string {
  return value === undefined ? '' : `;${name}=${value}`;
}
