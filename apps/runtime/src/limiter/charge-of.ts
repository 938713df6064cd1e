import type { LimitDenial, Limits } from '@ceiba/contract';
import {
  type Charge,
  type LimitScope,
  PLAN_LIMIT_MAX,
  secondsLeftOfMinute,
  secondsLeftOfMonth,
} from '@ceiba/domain';
import type { CountedReply } from './charge-script.ts';

/**
 * Turns a counted reply into a charge. `limits` reports, per window, the counter with the least
 * left. All counters share the same windows, so a retry can succeed when the window that is used up
 * ends.
 */
export function chargeOf(scopes: readonly LimitScope[], reply: CountedReply): Charge {
  const { kind, minute, month, timeMs } = reply;
  const rate = leastLeft(scopes, reply, 'rateLimitPerMinute', 'minuteCount');
  const quota = leastLeft(scopes, reply, 'monthlyQuota', 'monthCount');
  const limits = {
    rateLimitPerMinute: rate.limit,
    monthlyQuota: quota.limit,
    remainingThisMinute: rate.left,
    remainingThisMonth: quota.left,
  };
  const resetAfterSeconds = {
    minute: secondsLeftOfMinute(minute, timeMs),
    month: secondsLeftOfMonth(month, timeMs),
  };
  switch (kind) {
    case 'allowed':
      return { kind: 'allowed', limits, resetAfterSeconds };
    case 'quota_exceeded':
      return denied(kind, limits, resetAfterSeconds.month, quota.scope);
    case 'rate_limited':
      return denied(kind, limits, resetAfterSeconds.minute, rate.scope);
  }
}

function denied(
  denialReason: LimitDenial,
  limits: Limits,
  retryAfterSeconds: number,
  refusedBy: LimitScope['kind'],
): Charge {
  return { kind: 'denied', denialReason, limits, retryAfterSeconds, refusedBy };
}

/** What is reported where no limit applies: the largest limit that a plan can have. */
const NO_LIMIT = PLAN_LIMIT_MAX;

interface LeastLeft {
  scope: LimitScope['kind'];
  limit: number;
  left: number;
}

/** Of equals the first, as the script judges them: of a refused charge, the limit that refused it. */
function leastLeft(
  scopes: readonly LimitScope[],
  reply: CountedReply,
  limitName: 'rateLimitPerMinute' | 'monthlyQuota',
  countName: 'minuteCount' | 'monthCount',
): LeastLeft {
  let least: LeastLeft = { scope: 'project', limit: NO_LIMIT, left: NO_LIMIT };
  scopes.forEach((scope, index) => {
    const limit = scope[limitName];
    if (limit === null) return;
    // A limit can be lowered below what is used: then 0 is left, never less (rule all-or-nothing).
    const left = Math.max(0, limit - (reply.counters[index]?.[countName] ?? limit));
    if (left < least.left) least = { scope: scope.kind, limit, left };
  });
  return least;
}
