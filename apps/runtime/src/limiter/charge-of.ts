import {
  CALENDAR_MONTH,
  type Charge,
  type ChargeRequest,
  type Limit,
  type LimitWindow,
  MS_PER_MINUTE,
  type Period,
  PLAN_LIMIT_MAX,
  secondsLeft,
  WINDOWS,
  windowOfPeriod,
} from '@ceiba/domain';
import type { CountedReply } from './charge-reply.ts';

/**
 * Turns a counted reply into a charge. `limits` reports, per window, the counter with the least left.
 */
export function chargeOf(request: ChargedRequest, reply: CountedReply): Charge {
  const { kind } = reply;
  const minute = leastLeft(request, reply, 'minute') ?? unlimited('minute');
  const month = leastLeft(request, reply, 'month') ?? unlimited('month');
  const day = leastLeft(request, reply, 'day');
  const limits = {
    rateLimitPerMinute: minute.limit.value,
    monthlyQuota: month.limit.value,
    remainingThisMinute: minute.left,
    remainingThisMonth: month.left,
    ...(day && { dailyQuota: day.limit.value, remainingToday: day.left }),
  };
  if (kind !== 'allowed')
    return { kind: 'denied', denialReason: kind, limits, ...refused(request, reply) };
  const resetAfterSeconds = {
    minute: resetOf(minute, reply),
    month: resetOf(month, reply),
    ...(day && { day: resetOf(day, reply) }),
  };
  return { kind, limits, resetAfterSeconds };
}

type ChargedRequest = Pick<ChargeRequest, 'scopes' | 'cost'>;

interface Left {
  limit: Limit;
  left: number;
  period: Period;
}

/** What is reported where no limit applies: the largest limit that a plan can have. */
const unlimited = (window: LimitWindow): Left => ({
  limit: { owner: 'plan', window, value: PLAN_LIMIT_MAX },
  left: PLAN_LIMIT_MAX,
  period: CALENDAR_MONTH,
});

/** What is left of each limit of a window, in the order in which the script judges them. */
function leftOf(
  { scopes }: ChargedRequest,
  { counters }: CountedReply,
  window: LimitWindow,
): Left[] {
  const lefts: Left[] = [];
  scopes.forEach(({ rate, quota, period }, index) => {
    const limit = window === 'minute' ? rate : quota;
    if (limit?.window !== window) return;
    const { minuteCount = limit.value, periodCount = limit.value } = counters[index] ?? {};
    const count = window === 'minute' ? minuteCount : periodCount;
    // A limit can be lowered below what is used: then 0 is left, never less (rule all-or-nothing).
    lefts.push({ limit, left: Math.max(0, limit.value - count), period });
  });
  return lefts;
}

/** Of equals the first; null where no limit applies. */
function leastLeft(request: ChargedRequest, reply: CountedReply, window: LimitWindow): Left | null {
  const [first, ...others] = leftOf(request, reply, window);
  if (!first) return null;
  return others.reduce((least, other) => (other.left < least.left ? other : least), first);
}

/** The first limit without room for the call; a retry has to wait for all of its kind. */
function refused(request: ChargedRequest, reply: CountedReply) {
  const isQuota = reply.kind === 'quota_exceeded';
  const windows = isQuota ? QUOTA_WINDOWS : RATE_WINDOWS;
  const need = isQuota ? request.cost : 1;
  const without = windows
    .flatMap((window) => leftOf(request, reply, window))
    .filter(({ left }) => left < need);
  const [{ limit } = unlimited(windows[0])] = without;
  const resets = without.map((left) => resetOf(left, reply));
  return { exceeded: limit, retryAfterSeconds: Math.max(1, ...resets) };
}

const QUOTA_WINDOWS = ['month', 'day'] as const;
const RATE_WINDOWS = ['minute'] as const;

function resetOf({ limit, period }: Left, { minute, timeMs }: CountedReply): number {
  if (limit.window === 'minute') return secondsLeft(WINDOWS.minute, minute, timeMs);
  const ofPeriod = windowOfPeriod(period);
  return secondsLeft(ofPeriod, ofPeriod.numberAt(minute * MS_PER_MINUTE), timeMs);
}
