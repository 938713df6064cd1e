import type { QuotaUse } from './quota-use.ts';

export interface QuotaProjection {
  /** Use by the end of the month if requests come as in the last seven days; may be over the quota. */
  expectedAtMonthEnd: number;
  /** When the quota will be used up; null where the month ends before, or there is no quota. */
  exhaustedAt: Date | null;
}

/** An hour of a project's life says nothing of a month yet; a day does. */
const SHORTEST_MS = 86_400_000;

/** Goes on from the month's use at the recent mean. Pure. What is used up is exhausted now. */
export function projectQuota(
  use: Pick<QuotaUse, 'now' | 'monthEnd' | 'monthlyQuota' | 'used' | 'recent'>,
): QuotaProjection {
  const { now, monthEnd, monthlyQuota, used, recent } = use;
  const perMs = recent.allowed / Math.max(now.getTime() - recent.since.getTime(), SHORTEST_MS);
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
