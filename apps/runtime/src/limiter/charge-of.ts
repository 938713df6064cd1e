import type { LimitDenial, Limits } from '@ceiba/contract';
import {
  CALENDAR_MONTH,
  type Charge,
  type Limit,
  type LimitWindow,
  MS_PER_MINUTE,
  type Period,
  PLAN_LIMIT_MAX,
  type Scope,
  secondsLeft,
  WINDOWS,
  windowOfPeriod,
} from '@ceiba/domain';
import type { CountedReply } from './charge-reply.ts';

/**
 * Turns a counted reply into a charge. `limits` reports, per window, the counter with the least
 * left. All counters share the minute, so a retry can succeed when the minute, or the period of the
 * counter that refused, is over.
 */
export function chargeOf(scopes: readonly Scope[], reply: CountedReply): Charge {
  const { kind, timeMs } = reply;
  const minute = leastLeft(scopes, reply, 'minute');
  const month = leastLeft(scopes, reply, 'month');
  const limits = {
    rateLimitPerMinute: minute.limit.value,
    monthlyQuota: month.limit.value,
    remainingThisMinute: minute.left,
    remainingThisMonth: month.left,
  };
  const resetAfterSeconds = {
    minute: secondsLeft(WINDOWS.minute, reply.minute, timeMs),
    month: secondsLeftOfPeriod(month.period, reply),
  };
  switch (kind) {
    case 'allowed':
      return { kind: 'allowed', limits, resetAfterSeconds };
    case 'quota_exceeded':
      return denied(kind, limits, resetAfterSeconds.month, month.limit);
    case 'rate_limited':
      return denied(kind, limits, resetAfterSeconds.minute, minute.limit);
  }
}

function secondsLeftOfPeriod(period: Period, { minute, timeMs }: CountedReply): number {
  const window = windowOfPeriod(period);
  return secondsLeft(window, window.numberAt(minute * MS_PER_MINUTE), timeMs);
}

const denied = (
  denialReason: LimitDenial,
  limits: Limits,
  retryAfterSeconds: number,
  exceeded: Limit,
): Charge => ({ kind: 'denied', denialReason, limits, retryAfterSeconds, exceeded });

/** What is reported where no limit applies: the largest limit that a plan can have. */
const UNLIMITED = {
  minute: { owner: 'plan', window: 'minute', value: PLAN_LIMIT_MAX },
  month: { owner: 'plan', window: 'month', value: PLAN_LIMIT_MAX },
} as const satisfies Record<LimitWindow, Limit>;

const COUNT_OF = { minute: 'minuteCount', month: 'periodCount' } as const;

interface LeastLeft {
  limit: Limit;
  left: number;
  period: Period;
}

/** Of equals the first, as the script judges them: of a refused charge, the limit that refused it. */
function leastLeft(
  scopes: readonly Scope[],
  { counters }: CountedReply,
  window: LimitWindow,
): LeastLeft {
  let least: LeastLeft = {
    limit: UNLIMITED[window],
    left: PLAN_LIMIT_MAX,
    period: CALENDAR_MONTH,
  };
  scopes.forEach(({ limits, period }, index) => {
    const limit = limits[window];
    if (limit === null) return;
    // A limit can be lowered below what is used: then 0 is left, never less (rule all-or-nothing).
    const left = Math.max(0, limit.value - (counters[index]?.[COUNT_OF[window]] ?? limit.value));
    if (left < least.left) least = { limit, left, period };
  });
  return least;
}
