import { MS_PER_DAY, nextStep, POLICY_USE_DAYS, startOfStep } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../bulk.ts';
import type { Executor } from '../connection/database.ts';
import { instant, toMs } from '../time.ts';
import { days, hoursOfKeys, withinDays } from './decisions.ts';

/** What a change would end the calls of: some keys, all keys of a customer, a policy, or everything. */
export type UsedItem =
  | { kind: 'api_keys'; ids: readonly string[] }
  | { kind: 'customer' | 'policy'; id: string }
  | { kind: 'project' };

/** Who used an item lately, as of the last flush. */
export interface RecentUse {
  /** Of the key, customer, policy or project. */
  id: string;
  /** The newest allowed call; null if none is known. Of a policy, within `POLICY_USE_DAYS`. */
  lastUsedAt: Date | null;
  /** How exact `lastUsedAt` is: policies are counted by hour, and later by day in UTC. */
  exactTo: 'moment' | 'hour' | 'day';
  /**
   * The newest allowed call with the secret before the last rotation of a key; of a project, the newest
   * call with its previous secret, to the minute. Null if there is none.
   */
  previousLastUsedAt: Date | null;
  /** Decisions of today, in UTC. */
  allowedToday: number;
  deniedToday: number;
  /** The keys with an allowed call today. */
  keysToday: number;
}

export interface RecentUseRequest {
  projectId: string;
  of: UsedItem;
  now?: Date;
}

/**
 * Reads who used keys, a customer, a policy or a project lately. Items that the project does not have
 * are left out, or were never used.
 */
export async function readRecentUse(
  db: { orm: Executor },
  { projectId, of, now = new Date() }: RecentUseRequest,
): Promise<RecentUse[]> {
  const scope = { projectId, now };
  const rows = await db.orm.execute<Row>(
    of.kind === 'api_keys'
      ? ofKeys(scope, sql`k.id = any(${arrayOf(of.ids)}::uuid[])`, sql`k.id`)
      : of.kind === 'customer'
        ? ofKeys(scope, sql`k.customer_id = ${of.id}`, sql`k.customer_id`)
        : of.kind === 'policy'
          ? ofPolicy(scope, of.id)
          : ofProject(scope),
  );
  return rows.map(({ lastMs, hourMs, previousLastMs, ...row }) => {
    const times = [lastMs, hourMs].filter((ms) => ms !== null);
    return {
      ...row,
      lastUsedAt: times.length === 0 ? null : new Date(Math.max(...times)),
      exactTo: of.kind !== 'policy' ? 'moment' : hourMs === null ? 'day' : 'hour',
      previousLastUsedAt: previousLastMs === null ? null : new Date(previousLastMs),
    };
  });
}

type Row = Pick<RecentUse, 'id' | 'allowedToday' | 'deniedToday' | 'keysToday'> & {
  lastMs: number | null;
  hourMs: number | null;
  previousLastMs: number | null;
};

interface Scope {
  projectId: string;
  now: Date;
}

const sumOf = (isOutcome: SQL) =>
  sql`coalesce(sum(count) filter (where outcome ${isOutcome}), 0)::float8`;

const ofKeys = ({ projectId, now }: Scope, where: SQL, item: SQL): SQL => sql`
  with keys as materialized (
    select k.id, ${item} as item, k.last_used_at, k.previous_last_used_at
    from api_keys k where k.project_id = ${projectId} and ${where}
  ), owned as materialized (select array(select id from keys) as ids), today as (
    select u.api_key_id, ${sumOf(sql`= 'allowed'`)} as allowed, ${sumOf(sql`<> 'allowed'`)} as denied
    from owned cross join ${hoursOfKeys(sql`usage_hours`, {
      projectId,
      ids: sql`owned.ids`,
      from: instant(startOfStep(now, 'day')),
      to: instant(nextStep(now, 'hour')),
    })}
    group by u.api_key_id
  )
  select keys.item as id, ${toMs(sql`max(keys.last_used_at)`)} as "lastMs", null as "hourMs",
    ${toMs(sql`max(keys.previous_last_used_at)`)} as "previousLastMs",
    coalesce(sum(today.allowed), 0)::float8 as "allowedToday",
    coalesce(sum(today.denied), 0)::float8 as "deniedToday",
    count(*) filter (where today.allowed > 0)::int as "keysToday"
  from keys left join today on today.api_key_id = keys.id group by keys.item`;

const ofProject = ({ projectId, now }: Scope): SQL => sql`
  with today as (
    select h.api_key_id, ${sumOf(sql`= 'allowed'`)} as allowed, ${sumOf(sql`<> 'allowed'`)} as denied
    from usage_hours h
    where h.project_id = ${projectId} and h.hour >= ${instant(startOfStep(now, 'day'))}
    group by h.api_key_id
  )
  select ${projectId} as id, null as "hourMs",
    (select ${toMs(sql`previous_secret_last_used_at`)} from projects where id = ${projectId})
      as "previousLastMs",
    (select ${toMs(sql`max(k.last_used_at)`)} from api_keys k where k.project_id = ${projectId})
      as "lastMs",
    coalesce(sum(allowed), 0)::float8 as "allowedToday",
    coalesce(sum(denied), 0)::float8 as "deniedToday",
    count(*) filter (where allowed > 0)::int as "keysToday"
  from today`;

/** The days that are added up have no keys; today is not. */
const ofPolicy = ({ projectId, now }: Scope, policyId: string): SQL => {
  const today = startOfStep(now, 'day');
  const from = new Date(today.getTime() - (POLICY_USE_DAYS - 1) * MS_PER_DAY);
  const range = { projectId, from, to: nextStep(now, 'day') };
  return sql`
    with ${days(range)}, hourly as (
      select h.hour, h.api_key_id, ${sumOf(sql`= 'allowed'`)} as allowed,
        ${sumOf(sql`<> 'allowed'`)} as denied
      from (select u.* from ${withinDays(sql`usage_hours`, projectId, sql`h.policy_id = ${policyId}`)}
        where not days.rolled) h
      group by h.hour, h.api_key_id
    )
    select ${policyId} as id, null as "previousLastMs",
      (select ${toMs(sql`max(t.day::timestamp at time zone 'UTC')`)} from usage_policy_days t
        where t.project_id = ${projectId} and t.policy_id = ${policyId} and t.allowed > 0
          and t.day = any(array(select day from days where rolled))) as "lastMs",
      ${toMs(sql`max(hour) filter (where allowed > 0)`)} as "hourMs",
      coalesce(sum(allowed) filter (where hour >= ${instant(today)}), 0)::float8 as "allowedToday",
      coalesce(sum(denied) filter (where hour >= ${instant(today)}), 0)::float8 as "deniedToday",
      count(distinct api_key_id) filter (where allowed > 0 and hour >= ${instant(today)})::int
        as "keysToday"
    from hourly`;
};
