import type { Outcome } from '@ceiba/contract/sets';
import { startOfStep, type UsageRange, type UsageStep } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../bulk.ts';
import { KEYS_PER_DAY_MAX, NO_ID } from '../tables.ts';
import { instant } from '../time.ts';

/**
 * The parts of statements that read a project's usage. A day with valid totals (`roll-up.ts`) is read
 * from its totals, any other day from its hours; today has no totals. A statement that reads both
 * reads one snapshot of them.
 */

export interface UsageOfProject extends UsageRange {
  projectId: string;
}

/** The start, in UTC, of the step that contains an instant. */
export const stepOf = (at: SQL, step: UsageStep) =>
  sql`date_trunc(${sql.raw(`'${step}'`)}, ${at}, 'UTC')`;

const dayOf = (at: Date) => sql`${startOfStep(at, 'day').toISOString().slice(0, 10)}::timestamp`;

/**
 * For a WITH clause: the days of a range. `rolled` is whether the day has valid totals; `since` and
 * `until` bound the part of the day that is in the range.
 */
export const days = ({ projectId, from, to }: UsageOfProject): SQL => sql`
  days as materialized (
    select series::date as day, r.rolled_at is not null as rolled,
      greatest(series at time zone 'UTC', ${instant(from)}) as since,
      least((series + interval '1 day') at time zone 'UTC', ${instant(to)}) as until
    from generate_series(${dayOf(from)}, ${dayOf(new Date(to.getTime() - 1))}, interval '1 day')
      as series
    left join usage_rolled_days r on r.project_id = ${projectId} and r.day = series::date
  )`;

/**
 * For a FROM clause: `days`, and as `u` the rows of a table that are in the range. The planner cannot
 * know how few days there are; OFFSET 0 keeps it from reading the whole table once for all days.
 *
 * @param where a condition on the table, which is called `h` in it
 */
export const withinDays = (table: SQL, projectId: string, where: SQL = sql`true`): SQL => sql`
  days cross join lateral (
    select * from ${table} h where ${isWithinDay(projectId)} and ${where} offset 0
  ) u`;

const isWithinDay = (projectId: string) => sql`
  h.project_id = ${projectId} and h.hour >= days.since and h.hour < days.until`;

/** A condition for one outcome, which skips most of the rows; without an outcome, all rows match. */
const isOutcome = (outcome: Outcome | undefined) =>
  outcome === undefined ? sql`true` : sql`h.outcome = ${outcome}`;

/** Rows of (at, id, count) per hour and outcome. */
export const decisionsByHour = ({ projectId }: UsageOfProject, outcome?: Outcome): SQL => sql`
  select u.hour as at, u.outcome as id, u.count
  from ${withinDays(sql`usage_outcome_hours`, projectId, isOutcome(outcome))} where days.rolled
  union all
  select u.hour, u.outcome, u.count
  from ${withinDays(sql`usage_hours`, projectId, isOutcome(outcome))} where not days.rolled`;

/**
 * For a FROM clause: as `u` the rows that a table has of some keys in a range of whole hours. They are
 * looked up hour by hour, because a scan of the range would read every key of the project.
 *
 * @param of expressions, which may name what is before it in the clause; `ids` is an array
 */
export const hoursOfKeys = (
  table: SQL,
  { projectId, ids, from, to }: { projectId: string; ids: SQL; from: SQL; to: SQL },
): SQL => sql`
  generate_series(${from}, ${to} - interval '1 hour', interval '1 hour') as hours(start)
  cross join lateral (
    select * from ${table} h
    where h.project_id = ${projectId} and h.hour = hours.start and h.api_key_id = any(${ids})
    offset 0
  ) u`;

/** Rows of (at, id, count) of one key per step and outcome: the totals of days hold no outcomes of a key. */
export const decisionsOfKey = (
  { projectId, from, to }: UsageOfProject,
  { apiKeyId, step }: { apiKeyId: string; step: UsageStep },
): SQL => sql`
  select ${stepOf(sql`u.hour`, step)} as at, u.outcome as id, u.count
  from ${hoursOfKeys(sql`usage_hours`, {
    projectId,
    ids: uuidArray([apiKeyId]),
    from: instant(from),
    to: instant(to),
  })}`;

/** Rows of (at, id, count) per day and outcome, of a range of whole days. */
export const decisionsByDay = ({ projectId }: UsageOfProject): SQL => sql`
  select t.day::timestamp at time zone 'UTC' as at, t.outcome as id, t.count
  from usage_outcome_days t where t.project_id = ${projectId}
    and t.day = any(array(select day from days where rolled))
  union all
  select days.since, u.outcome, u.count
  from days cross join lateral (
    select h.outcome, sum(h.count) as count from usage_hours h
    where ${isWithinDay(projectId)}
    group by h.outcome offset 0
  ) u where not days.rolled`;

const uuidArray = (ids: readonly string[]) => sql`${arrayOf(ids)}::uuid[]`;

/**
 * Where the totals per day are. The two conditions on ids lead to different plans: a few of many keys
 * are looked up in the index, and most of the few policies are filtered from a scan.
 */
const DAY_TOTALS = {
  policy: {
    table: sql`usage_policy_days`,
    id: sql`policy_id`,
    among: (id: SQL, ids: readonly string[]) => sql`${id} in (select unnest(${uuidArray(ids)}))`,
  },
  api_key: {
    table: sql`usage_key_days`,
    id: sql`api_key_id`,
    among: (id: SQL, ids: readonly string[]) => sql`${id} = any(${uuidArray(ids)})`,
  },
} as const;

/** What allowed requests are grouped by. */
export type Grouping = keyof typeof DAY_TOTALS;

export interface AllowedInput {
  by: Grouping;
  step: UsageStep;
  /** Only these keys or policies; all if absent. */
  ids?: readonly string[];
}

/**
 * Rows of (at, id, count) of allowed requests by policy or key: per hour for steps of an hour, else per
 * day of a range of whole days.
 */
export function allowedRequests(usage: UsageOfProject, { by, step, ids }: AllowedInput): SQL {
  const { table, id, among } = DAY_TOTALS[by];
  const isOne = (column: SQL) => (ids === undefined ? sql`true` : among(column, ids));
  const where = sql`h.outcome = 'allowed' and ${isOne(sql`h.${id}`)}`;
  const hours = (at: SQL) => sql`
    select ${at} as at, u.${id} as id, u.count
    from ${withinDays(sql`usage_hours`, usage.projectId, where)}`;
  if (step === 'hour') return hours(sql`u.hour`);
  return sql`
    select t.day::timestamp at time zone 'UTC' as at, t.${id} as id, t.allowed as count
    from ${table} t where t.project_id = ${usage.projectId}
      and t.day = any(array(select day from days where rolled)) and ${isOne(sql`t.${id}`)}
    union all ${hours(sql`days.since`)} where not days.rolled`;
}

/**
 * Rows of (id, count) of allowed requests by key: the largest keys of each day with totals, and every
 * key of the other days.
 */
export const largestKeysOfDays = ({ projectId }: UsageOfProject): SQL => sql`
  select t.api_key_id as id, t.allowed as count
  from usage_key_days t where t.project_id = ${projectId}
    and t.day = any(array(select day from days where rolled))
    and t.rank <= ${sql.raw(String(KEYS_PER_DAY_MAX))}
  union all
  select u.api_key_id, u.count
  from ${withinDays(sql`usage_hours`, projectId, sql`h.outcome = 'allowed'`)} where not days.rolled`;

/**
 * The key and the policy of a usage row. All fields of one that the row does not have are null, and
 * all but the id of one that was deleted.
 */
export interface KeyAndPolicy {
  apiKeyId: string | null;
  displayName: string | null;
  keyPrefix: string | null;
  policyId: string | null;
  method: string | null;
  pathPattern: string | null;
}

/** The columns of {@link KeyAndPolicy}, for rows with `api_key_id` and `policy_id`. */
export const keyAndPolicyColumns = (rows: SQL) => sql`
  nullif(${rows}.api_key_id, ${NO_ID}) as "apiKeyId", k.display_name as "displayName",
  k.key_prefix as "keyPrefix", nullif(${rows}.policy_id, ${NO_ID}) as "policyId", p.method,
  p.path_pattern as "pathPattern"`;

/** The joins that {@link keyAndPolicyColumns} needs. */
export const joinKeyAndPolicy = (rows: SQL) => sql`
  left join api_keys k on k.id = ${rows}.api_key_id
  left join policies p on p.id = ${rows}.policy_id`;
