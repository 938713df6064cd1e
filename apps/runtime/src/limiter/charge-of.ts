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
  const minute = leastLeft(request, reply, 'minute');
  const month = leastLeft(request, reply, 'month');
  const limits = {
    rateLimitPerMinute: minute.limit.value,
    monthlyQuota: month.limit.value,
    remainingThisMinute: minute.left,
    remainingThisMonth: month.left,
  };
  if (kind !== 'allowed')
    return { kind: 'denied', denialReason: kind, limits, ...refused(request, reply) };
  const resetAfterSeconds = {
    minute: resetOf('minute', minute.period, reply),
    month: resetOf('month', month.period, reply),
  };
  return { kind, limits, resetAfterSeconds };
}

type ChargedRequest = Pick<ChargeRequest, 'scopes' | 'cost'>;

/** What is reported where no limit applies: the largest limit that a plan can have. */
const UNLIMITED = {
  minute: { owner: 'plan', window: 'minute', value: PLAN_LIMIT_MAX },
  month: { owner: 'plan', window: 'month', value: PLAN_LIMIT_MAX },
} as const satisfies Record<LimitWindow, Limit>;

const COUNT_OF = { minute: 'minuteCount', month: 'periodCount' } as const;

interface Left {
  limit: Limit;
  left: number;
  period: Period;
}

/** What is left of each limit of a window, in the order in which the script judges them. */
function leftOf(
  { scopes }: ChargedRequest,
  { counters }: CountedReply,
  window: LimitWindow,
): Left[] {
  const lefts: Left[] = [];
  scopes.forEach(({ limits, period }, index) => {
    const limit = limits[window];
    if (limit === null) return;
    const count = counters[index]?.[COUNT_OF[window]] ?? limit.value;
    // A limit can be lowered below what is used: then 0 is left, never less (rule all-or-nothing).
    lefts.push({ limit, left: Math.max(0, limit.value - count), period });
  });
  return lefts;
}

/** Of equals the first. */
function leastLeft(request: ChargedRequest, reply: CountedReply, window: LimitWindow): Left {
  const [first, ...others] = leftOf(request, reply, window);
  if (!first) return { limit: UNLIMITED[window], left: PLAN_LIMIT_MAX, period: CALENDAR_MONTH };
  return others.reduce((least, other) => (other.left < least.left ? other : least), first);
}

/** The first limit without room for the call; a retry has to wait for all of them. */
function refused(request: ChargedRequest, reply: CountedReply) {
  const isQuota = reply.kind === 'quota_exceeded';
  const window = isQuota ? 'month' : 'minute';
  const need = isQuota ? request.cost : 1;
  const without = leftOf(request, reply, window).filter(({ left }) => left < need);
  const exceeded = without[0]?.limit ?? UNLIMITED[window];
  const resets = without.map(({ period }) => resetOf(window, period, reply));
  return { exceeded, retryAfterSeconds: Math.max(1, ...resets) };
}

function resetOf(window: LimitWindow, period: Period, { minute, timeMs }: CountedReply): number {
  if (window === 'minute') return secondsLeft(WINDOWS.minute, minute, timeMs);
  const ofPeriod = windowOfPeriod(period);
  return secondsLeft(ofPeriod, ofPeriod.numberAt(minute * MS_PER_MINUTE), timeMs);
}
