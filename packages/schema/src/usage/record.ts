import type { Outcome } from '@ceiba/contract/sets';
import type { Database } from '../connection/database.ts';
import { LOCKS } from '../locks.ts';
import { NO_ID } from '../tables.ts';

/** Decisions of one hour; `count` is their total in the incarnation. */
export interface UsageHourCount {
  projectId: string;
  /** Whole hours since 1970-01-01T00:00Z. */
  hour: number;
  apiKeyId: string | null;
  policyId: string | null;
  outcome: Outcome;
  incarnation: string;
  count: number;
}

/** Allowed requests of one month; `scope` is `project` or a key's id. */
export interface UsageMonthCount {
  projectId: string;
  /** Year × 12 + month, January being 0, in UTC. */
  month: number;
  scope: string;
  incarnation: string;
  count: number;
}

export interface LastUse {
  apiKeyId: string;
  at: Date;
}

export interface UsageBatch {
  hours: readonly UsageHourCount[];
  months: readonly UsageMonthCount[];
  lastUsed: readonly LastUse[];
}

/**
 * Writes counts in one transaction. They are totals that only grow, so writing a batch twice, or an
 * older one after a newer one, changes nothing (rules confirmed-flush and month-totals). Each
 * statement locks its rows in key order, so that two flushes cannot deadlock. If a day was already
 * rolled up, its totals become invalid (`roll-up.ts`).
 *
 * @returns the projects of the batch that exist; counts of others are dropped
 */
export async function recordUsage(
  db: Database,
  batch: UsageBatch,
): Promise<{ knownProjectIds: Set<string> }> {
  return db.sql.begin('isolation level read committed', async (sql) => {
    if (batch.hours.length > 0) {
      await sql.unsafe(SHARE_LOCK, [], PREPARED);
      await sql.unsafe(UPSERT_HOURS, hourColumns(batch.hours), PREPARED);
    }
    if (batch.months.length > 0) {
      await sql.unsafe(UPSERT_MONTHS, monthColumns(batch.months), PREPARED);
    }
    if (batch.lastUsed.length > 0) {
      await sql.unsafe(TOUCH_KEYS, lastUseColumns(batch.lastUsed), PREPARED);
    }
    const ids = new Set([...batch.hours, ...batch.months].map((row) => row.projectId));
    const known = await sql.unsafe<{ id: string }[]>(KNOWN_PROJECTS, [listOf([...ids])], PREPARED);
    return { knownProjectIds: new Set(known.map((row) => row.id)) };
  });
}

const PREPARED = { prepare: true };

/** All flushes share this lock; `roll-up.ts` takes it exclusively. */
const SHARE_LOCK = `select pg_advisory_xact_lock_shared(${LOCKS.usageWriters})`;

/**
 * Writes the hours, then invalidates the totals of their days. Hours and days are locked in order, so
 * that two flushes cannot deadlock.
 */
const UPSERT_HOURS = `
  with written as (
    insert into usage_hours (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    select row.project_id, to_timestamp(row.hour::float8 * 3600), row.api_key_id, row.policy_id,
      row.outcome, row.incarnation, row.count
    from unnest(($1::text)::uuid[], ($2::text)::bigint[], ($3::text)::uuid[], ($4::text)::uuid[],
      ($5::text)::text[], ($6::text)::text[], ($7::text)::bigint[])
      as row(project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    join projects on projects.id = row.project_id
    order by 1, 2, 3, 4, 5, 6
    on conflict (project_id, hour, api_key_id, policy_id, outcome, incarnation)
    do update set count = greatest(usage_hours.count, excluded.count)
    where usage_hours.count < excluded.count
    returning project_id, (hour at time zone 'UTC')::date as day
  ), late as materialized (
    select rolled.project_id, rolled.day
    from (select distinct project_id, day from written order by 1, 2) as changed
    cross join lateral (
      select r.project_id, r.day from usage_rolled_days r
      where r.project_id = changed.project_id and r.day = changed.day for no key update
    ) as rolled
  )
  update usage_rolled_days r set rolled_at = null, late_writes = r.late_writes + 1
  from late where r.project_id = late.project_id and r.day = late.day`;

const UPSERT_MONTHS = `
  insert into usage_months (project_id, month, scope, incarnation, count)
  select row.project_id, row.month, row.scope, row.incarnation, row.count
  from unnest(($1::text)::uuid[], ($2::text)::int[], ($3::text)::text[], ($4::text)::text[],
    ($5::text)::bigint[]) as row(project_id, month, scope, incarnation, count)
  join projects on projects.id = row.project_id
  order by 1, 2, 3, 4
  on conflict (project_id, month, scope, incarnation)
  do update set count = greatest(usage_months.count, excluded.count), updated_at = now()
  where usage_months.count < excluded.count`;

/**
 * Skips keys that another transaction has locked, because waiting would delay all counts: their time
 * is updated after their next use. Locks the others in the order of their ids.
 */
const TOUCH_KEYS = `
  with use as (
    select api_key_id, max(at) as at
    from unnest(($1::text)::uuid[], ($2::text)::timestamptz[]) as row(api_key_id, at)
    group by api_key_id
  ), locked as (
    select k.id from api_keys k join use on use.api_key_id = k.id
    where k.last_used_at is null or k.last_used_at < use.at
    order by k.id for no key update of k skip locked
  )
  update api_keys set last_used_at = greatest(api_keys.last_used_at, use.at)
  from use join locked on locked.id = use.api_key_id
  where api_keys.id = locked.id`;

const KNOWN_PROJECTS = 'select id from projects where id = any(($1::text)::uuid[])';

/** A Postgres array literal of numbers, UUIDs, ISO timestamps or quoted text. */
export const listOf = (values: readonly (string | number)[]) => `{${values.join(',')}}`;
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

export const hourColumns = (rows: readonly UsageHourCount[]) => [
  listOf(rows.map((row) => row.projectId)),
  listOf(rows.map((row) => row.hour)),
  listOf(rows.map((row) => row.apiKeyId ?? NO_ID)),
  listOf(rows.map((row) => row.policyId ?? NO_ID)),
  listOf(rows.map((row) => quoted(row.outcome))),
  listOf(rows.map((row) => quoted(row.incarnation))),
  listOf(rows.map((row) => row.count)),
];

export const monthColumns = (rows: readonly UsageMonthCount[]) => [
  listOf(rows.map((row) => row.projectId)),
  listOf(rows.map((row) => row.month)),
  listOf(rows.map((row) => quoted(row.scope))),
  listOf(rows.map((row) => quoted(row.incarnation))),
  listOf(rows.map((row) => row.count)),
];

const lastUseColumns = (rows: readonly LastUse[]) => [
  listOf(rows.map((row) => row.apiKeyId)),
  listOf(rows.map((row) => row.at.toISOString())),
];
