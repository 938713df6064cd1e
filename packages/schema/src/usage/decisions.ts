import type { Outcome } from '@ceiba/contract/sets';
import { startOfStep, type UsageRange, type UsageStep } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { LARGEST_KEYS_PER_DAY, NO_ID } from '../tables.ts';
import { instant } from '../time.ts';

/**
 * The sources of statements about a project's usage: days with valid totals are read from the totals,
 * other days, always including today, from their hours (`roll-up.ts`). A statement sees one state of
 * both.
 */

export interface UsageOfProject extends UsageRange {
  projectId: string;
}

/** The start, in UTC, of the step that contains an instant. */
export const stepOf = (at: SQL, step: UsageStep) =>
  sql`date_trunc(${sql.raw(`'${step}'`)}, ${at}, 'UTC')`;

const dayOf = (at: Date) => sql`${startOfStep(at, 'day').toISOString().slice(0, 10)}::timestamp`;

/** For a WITH clause: the days of a range, each with the part of it that is in the range. */
export const days = ({ projectId, from, to }: UsageOfProject): SQL => sql`
  days as materialized (
    select series::date as day, r.rolled_at is not null as rolled,
      greatest(series at time zone 'UTC', ${instant(from)}) as since,
      least((series + interval '1 day') at time zone 'UTC', ${instant(to)}) as until,
      series at time zone 'UTC' >= ${instant(from)}
        and (series + interval '1 day') at time zone 'UTC' <= ${instant(to)} as whole
    from generate_series(${dayOf(from)}, ${dayOf(new Date(to.getTime() - 1))}, interval '1 day')
      as series
    left join usage_rolled_days r on r.project_id = ${projectId} and r.day = series::date
  )`;

/**
 * The rows of a table within the part of each day. OFFSET 0 keeps the planner, which cannot know how
 * few days there are, from reading the whole table once for all of them.
 */
export const withinDays = (table: SQL, projectId: string, where: SQL = sql`true`): SQL => sql`
  days cross join lateral (
    select * from ${table} h where ${isWithinDay(projectId)} and ${where} offset 0
  ) u`;

const isWithinDay = (projectId: string) => sql`
  h.project_id = ${projectId} and h.hour >= days.since and h.hour < days.until`;

/** Every outcome unless one is named, which skips most of the rows. */
const isOutcome = (outcome: Outcome | undefined) =>
  outcome === undefined ? sql`true` : sql`h.outcome = ${outcome}`;

/** Rows of (at, id, count) per hour and outcome. */
export const decisionsByHour = ({ projectId }: UsageOfProject, outcome?: Outcome): SQL => sql`
  select u.hour as at, u.outcome as id, u.count
  from ${withinDays(sql`usage_outcome_hours`, projectId, isOutcome(outcome))} where days.rolled
  union all
  select u.hour, u.outcome, u.count
  from ${withinDays(sql`usage_hours`, projectId, isOutcome(outcome))} where not days.rolled`;

/** Rows of (at, id, count) per day and outcome; of days that are only partly in the range, their hours. */
export function decisionsByDay({ projectId }: UsageOfProject): SQL {
  const withinDay = (table: SQL) => sql`
    select days.since as at, u.outcome as id, u.count
    from days cross join lateral (
      select h.outcome, sum(h.count) as count from ${table} h
      where ${isWithinDay(projectId)}
      group by h.outcome offset 0
    ) u`;
  return sql`
    select t.day::timestamp at time zone 'UTC' as at, t.outcome as id, t.count
    from usage_outcome_days t where t.project_id = ${projectId}
      and t.day = any(array(select day from days where rolled and whole))
    union all ${withinDay(sql`usage_outcome_hours`)} where days.rolled and not days.whole
    union all ${withinDay(sql`usage_hours`)} where not days.rolled`;
}

const listOf = (ids: readonly string[]) => sql`${`{${ids.join(',')}}`}::uuid[]`;

/** A few of many keys are looked up by the index; most of a few policies are filtered from a scan. */
const DAY_TOTALS = {
  policy: {
    table: sql`usage_policy_days`,
    id: sql`policy_id`,
    among: (id: SQL, ids: readonly string[]) => sql`${id} in (select unnest(${listOf(ids)}))`,
  },
  api_key: {
    table: sql`usage_key_days`,
    id: sql`api_key_id`,
    among: (id: SQL, ids: readonly string[]) => sql`${id} = any(${listOf(ids)})`,
  },
} as const;

/** What allowed requests are grouped by. */
export type Grouping = keyof typeof DAY_TOTALS;

export interface AllowedInput {
  by: Grouping;
  step: UsageStep;
  /** Only these keys or policies. */
  ids?: readonly string[];
}

/** Rows of (at, id, count) of allowed requests by policy or key: per hour for steps of an hour, else per day. */
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

/** Rows of (id, count) of each day's largest keys, and of all keys of a day without totals. */
export const largestKeysOfDays = ({ projectId }: UsageOfProject): SQL => sql`
  select t.api_key_id as id, t.allowed as count
  from usage_key_days t where t.project_id = ${projectId}
    and t.day = any(array(select day from days where rolled))
    and t.rank <= ${sql.raw(String(LARGEST_KEYS_PER_DAY))}
  union all
  select u.api_key_id, u.count
  from ${withinDays(sql`usage_hours`, projectId, sql`h.outcome = 'allowed'`)} where not days.rolled`;

/** A key and a policy of a usage row, with their names; null when there was none or it was deleted. */
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
