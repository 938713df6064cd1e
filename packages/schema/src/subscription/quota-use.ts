import {
  FORECAST_DAYS,
  MS_PER_DAY,
  nextStep,
  PROJECT_SCOPE,
  type QuotaState,
  startOfStep,
  stepsOf,
} from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { clock, instant, monthNumber, toMs } from '../time.ts';
import { days, decisionsByHour, stepOf } from '../usage/decisions.ts';

/** A project's use of its quota in the current month, in UTC. */
export interface QuotaUse extends QuotaState {
  monthStart: Date;
  /**
   * When the count last grew. Runtimes write theirs every second, so it is that much behind at most,
   * unless one of them cannot reach Postgres. Null before the month's first allowed request.
   */
  countedAt: Date | null;
  /** What allowed requests of each day of the month cost, up to today. */
  byDay: { day: Date; allowed: number }[];
}

/**
 * Reads the month's use, for a gauge and its projection (`projectQuota`).
 *
 * @param now Default: the database's clock.
 * @returns null when there is no such project
 */
export async function readQuotaUse(
  db: { orm: Executor },
  projectId: string,
  now?: Date,
): Promise<QuotaUse | null> {
  const [row] = await db.orm.execute<{
    nowMs: number;
    createdAtMs: number;
    monthlyQuota: number | null;
    used: number;
    countedAtMs: number | null;
  }>(sql`
    select ${toMs(clock(now))} as "nowMs", ${toMs(sql`p.created_at`)} as "createdAtMs",
      plan.monthly_quota::float8 as "monthlyQuota", coalesce(month.used, 0) as used,
      ${toMs(sql`month.counted_at`)} as "countedAtMs"
    from projects p
    left join subscriptions s on s.project_id = p.id
    left join plans plan on plan.id = s.plan_id
    cross join lateral (
      select sum(count)::float8 as used, max(updated_at) as counted_at from usage_months
      where project_id = p.id and scope = ${PROJECT_SCOPE} and month = ${monthNumber(clock(now))}
    ) month
    where p.id = ${projectId}`);
  if (row === undefined) return null;
  const at = new Date(row.nowMs);
  const monthStart = startOfStep(at, 'month');
  const since = new Date(Math.max(row.createdAtMs, at.getTime() - FORECAST_DAYS * MS_PER_DAY));
  return {
    now: at,
    monthStart,
    monthEnd: nextStep(at, 'month'),
    monthlyQuota: row.monthlyQuota,
    used: row.used,
    countedAt: row.countedAtMs === null ? null : new Date(row.countedAtMs),
    ...(await readAdmissions(db, projectId, { monthStart, since: startOfStep(since, 'hour'), at })),
  };
}

async function readAdmissions(
  db: { orm: Executor },
  projectId: string,
  { monthStart, since, at }: { monthStart: Date; since: Date; at: Date },
): Promise<Pick<QuotaUse, 'byDay' | 'recent'>> {
  const to = nextStep(at, 'day');
  const usage = { projectId, from: since < monthStart ? since : monthStart, to };
  const rows = await db.orm.execute<{ dayMs: number; allowed: number; recent: number }>(sql`
    with ${days(usage)}, counted as (
      select at, count from (${decisionsByHour(usage, 'allowed')}) as calls
      union all
      select hour, case kind when 'surplus' then count else -count end
      from usage_cost_hours where project_id = ${projectId}
        and hour >= ${instant(usage.from)} and hour < ${instant(to)}
    )
    select ${toMs(stepOf(sql`at`, 'day'))} as "dayMs", sum(count)::float8 as allowed,
      coalesce(sum(count) filter (where at >= ${instant(since)}), 0)::float8 as recent
    from counted group by 1`);
  const counts = new Map(rows.map(({ dayMs, allowed }) => [dayMs, allowed]));
  return {
    byDay: stepsOf({ from: monthStart, to }, 'day').map((day) => ({
      day,
      allowed: counts.get(day.getTime()) ?? 0,
    })),
    recent: { since, allowed: rows.reduce((sum, { recent }) => sum + recent, 0) },
  };
}
