import type { Limits } from '@ceiba/contract';
import type { Charge, LimitScope } from '@ceiba/domain';
import type { CountedReply } from './charge-script.ts';
import { secondsLeftOfMinute, secondsLeftOfMonth } from './windows.ts';

/**
 * What a counted charge means to the caller. `limits` reports, for the minute and for the month,
 * the counter with the least left; the windows are the same for all counters, so the longest wait
 * among those that refuse is the end of the window that refuses.
 */
export function chargeOf(scopes: readonly LimitScope[], reply: CountedReply): Charge {
  const { kind, minute, month, timeMs } = reply;
  const limits = limitsOf(scopes, reply);
  const resetAfterSeconds = {
    minute: secondsLeftOfMinute(minute, timeMs),
    month: secondsLeftOfMonth(month, timeMs),
  };
  switch (kind) {
    case 'allowed':
      return { kind: 'admitted', limits, resetAfterSeconds };
    case 'quota_exceeded':
      return refused(kind, limits, resetAfterSeconds.month);
    case 'rate_limited':
      return refused(kind, limits, resetAfterSeconds.minute);
  }
}

function refused(
  denialReason: 'quota_exceeded' | 'rate_limited',
  limits: Limits,
  retryAfterSeconds: number,
): Charge {
  return { kind: 'refused', denialReason, limits, retryAfterSeconds };
}

function limitsOf(scopes: readonly LimitScope[], reply: CountedReply): Limits {
  const rate = leastLeft(scopes, reply, 'rateLimitPerMinute', 'minuteCount');
  const quota = leastLeft(scopes, reply, 'monthlyQuota', 'monthCount');
  return {
    rateLimitPerMinute: rate.limit,
    monthlyQuota: quota.limit,
    remainingThisMinute: rate.left,
    remainingThisMonth: quota.left,
  };
}

/** The largest limit that a plan can state; what is reported where nothing limits. */
const NO_LIMIT = 2_147_483_647;

function leastLeft(
  scopes: readonly LimitScope[],
  reply: CountedReply,
  limitName: 'rateLimitPerMinute' | 'monthlyQuota',
  countName: 'minuteCount' | 'monthCount',
): { limit: number; left: number } {
  let least = { limit: NO_LIMIT, left: NO_LIMIT };
  for (const [index, scope] of scopes.entries()) {
    const limit = scope[limitName];
    if (limit === null) continue;
    // A limit that was lowered below what is used leaves nothing, not less than nothing (rule 9).
    const left = Math.max(0, limit - (reply.counters[index]?.[countName] ?? limit));
    if (left < least.left) least = { limit, left };
  }
  return least;
}
