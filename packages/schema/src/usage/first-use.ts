import { MS_PER_HOUR, nextStep, startOfStep } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { instant, toMs } from '../time.ts';
import { days } from './decisions.ts';

/** When a key was used first. */
export interface FirstUse {
  /** The start of the hour of the first allowed call. */
  hour: Date;
  /** The first allowed call of that hour in the decision log, which may leave earlier ones out. */
  recorded: { decisionId: string; at: Date } | null;
}

export interface FirstUseRequest {
  projectId: string;
  apiKeyId: string;
  createdAt: Date;
  lastUsedAt: Date;
}

/**
 * Reads when a key was used first; null if no usage of it is known. Each day is one look-up, and then the hours
 * of one day. OFFSET 0 keeps the planner from reading the days of all keys once instead.
 *
 * @param createdAt at most as long ago as usage is kept
 */
export async function readFirstUse(
  db: { orm: Executor },
  { projectId, apiKeyId, createdAt, lastUsedAt }: FirstUseRequest,
): Promise<FirstUse | null> {
  const from = startOfStep(createdAt, 'day');
  const to = nextStep(lastUsedAt < createdAt ? createdAt : lastUsedAt, 'day');
  const hours = sql`
    generate_series(days.since, days.until - interval '1 hour', interval '1 hour') as hours(start)
    cross join lateral (
      select h.hour from usage_hours h where h.project_id = ${projectId} and h.hour = hours.start
        and h.api_key_id = ${apiKeyId} and h.outcome = 'allowed' offset 0
    ) u`;
  const [row] = await db.orm.execute<{ hourMs: number | null }>(sql`
    with ${days({ projectId, from, to })}, first_day as (
      select since, until from days
      where case when rolled
        then exists (select from usage_key_days t where t.project_id = ${projectId}
          and t.day = days.day and t.api_key_id = ${apiKeyId} and t.allowed > 0 offset 0)
        else exists (select from ${hours}) end
      order by day limit 1
    )
    select ${toMs(sql`min(u.hour)`)} as "hourMs" from first_day days, ${hours}`);
  if (row === undefined || row.hourMs === null) return null;
  const hour = new Date(row.hourMs);
  const end = new Date(hour.getTime() + MS_PER_HOUR);
  const [recorded] = await db.orm.execute<{ decisionId: string; atMs: number }>(sql`
    select decision_id as "decisionId", ${toMs(sql`at`)} as "atMs" from decisions
    where project_id = ${projectId} and api_key_id = ${apiKeyId} and outcome = 'allowed'
      and at >= ${instant(hour)} and at < ${instant(end)}
    order by at, decision_id limit 1`);
  return {
    hour,
    recorded: recorded ? { decisionId: recorded.decisionId, at: new Date(recorded.atMs) } : null,
  };
}
