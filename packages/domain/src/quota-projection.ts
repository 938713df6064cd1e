/** A project's use of its monthly quota, in requests. */
export interface QuotaState {
  now: Date;
  monthEnd: Date;
  /** Null without a subscription. */
  monthlyQuota: number | null;
  used: number;
  /** Requests allowed lately: over the last seven days, or since the project was created. */
  recent: { since: Date; allowed: number };
}

export interface QuotaProjection {
  /** Requests by the end of the month at the recent rate; may exceed the quota. */
  expectedAtMonthEnd: number;
  /** When the quota will be used up; null when the month ends before, or without a quota. */
  exhaustedAt: Date | null;
}

/** The least time over which the rate is taken: the first hour of a project predicts no month. */
const ELAPSED_MS_MIN = 86_400_000;

/** Projects the month's use at the recent rate. A quota that is used up is exhausted now. */
export function projectQuota(state: QuotaState): QuotaProjection {
  const { now, monthEnd, monthlyQuota, used, recent } = state;
  const perMs = recent.allowed / Math.max(now.getTime() - recent.since.getTime(), ELAPSED_MS_MIN);
  const leftMs = monthEnd.getTime() - now.getTime();
  const expectedAtMonthEnd = Math.round(used + perMs * leftMs);
  return { expectedAtMonthEnd, exhaustedAt: exhaustionOf() };

  function exhaustionOf(): Date | null {
    if (monthlyQuota === null) return null;
    if (used >= monthlyQuota) return now;
    const untilMs = (monthlyQuota - used) / perMs;
    return untilMs < leftMs ? new Date(now.getTime() + untilMs) : null;
  }
}
