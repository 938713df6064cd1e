/**
 * Days that are over are added up, so that a page about a year need not read millions of hours.
 *
 * The totals of a day count only while `usage_rolled_days` says that they were made; else the
 * day's hours are read. So they are right as long as no write to the hours goes unnoticed:
 * 1. A day is written down first, without totals, under a lock that every writer of usage shares.
 *    Who wrote before has committed by then; who writes after sees the day there.
 * 2. A writer that changes an hour of such a day counts a late write and voids its totals, in the
 *    statement that changes the hour (`record.ts`).
 * 3. Totals become valid only if no write came late while they were made.
 */
import type { TransactionSql } from 'postgres';
import type { Database } from '../database.ts';

/** Shared by those who write usage. Any number, as long as every caller takes the same one. */
export const USAGE_WRITERS_LOCK = 0x0ce1bd;
/** Held by the one Runtime that adds up or removes usage at a time. */
const UPKEEP_LOCK = 0x0ce1be;

/** Writers wait behind whoever waits for their lock; so that one gives up soon. */
const LOCK_TIMEOUT_MS = 500;
/** A day of ten thousand busy keys takes seconds; nobody waits for it. */
const STATEMENT_TIMEOUT_MS = 20_000;

export interface RollUpResult {
  /** Days that were added up by this call. */
  rolledDays: number;
  /** Whether nothing is left to add up; also where another Runtime is at it. */
  isComplete: boolean;
}

/**
 * Adds up days that are over and were not yet, or have changed since. The day that is under way
 * by the database's clock stays as it is.
 *
 * @param mostDays how many days this call may add up, over all projects
 */
export async function rollUpUsage(
  db: Database,
  { mostDays }: { mostDays: number },
): Promise<RollUpResult> {
  const days = await asUpkeep(db, (sql) => pendingDays(sql, mostDays));
  if (days === null) return { rolledDays: 0, isComplete: true };
  let rolledDays = 0;
  for (const day of days) {
    const rolled = await asUpkeep(db, (sql) => rollUpDay(sql, day));
    if (rolled === null) return { rolledDays, isComplete: true };
    if (rolled) rolledDays += 1;
  }
  return { rolledDays, isComplete: days.length < mostDays };
}

/** Runs a step of upkeep as one transaction; null where somebody else is at it. */
export function asUpkeep<T>(
  db: Database,
  step: (sql: TransactionSql) => Promise<T>,
): Promise<T | null> {
  return db.sql.begin('isolation level read committed', async (sql) => {
    await sql.unsafe(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    const [lock] = await sql<{ isOurs: boolean }[]>`
      select pg_try_advisory_xact_lock(${UPKEEP_LOCK}) as "isOurs"`;
    return lock?.isOurs === true ? step(sql) : null;
  }) as Promise<T | null>;
}

interface ProjectDay {
  projectId: string;
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
}

const PENDING = `
  select project_id as "projectId", day::text as day from usage_rolled_days
  where rolled_at is null order by project_id, day limit $1::int`;

/** Writes down the days that are missing, then lists what has no valid totals. */
async function pendingDays(sql: TransactionSql, mostDays: number): Promise<ProjectDay[]> {
  const missing = await sql.unsafe<ProjectDay[]>(MISSING, [mostDays]);
  if (missing.length > 0) {
    await sql.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await sql.unsafe(`select pg_advisory_xact_lock(${USAGE_WRITERS_LOCK})`);
    await sql.unsafe(WRITE_DOWN, [
      `{${missing.map(({ projectId }) => projectId).join(',')}}`,
      `{${missing.map(({ day }) => day).join(',')}}`,
    ]);
  }
  return sql.unsafe<ProjectDay[]>(PENDING, [mostDays]);
}

/** Projects that have usage, found by as many steps through the primary key as there are. */
export const PROJECTS_WITH_USAGE = `
  with recursive project(id) as (
    (select project_id from usage_hours order by project_id limit 1)
    union all
    select (select u.project_id from usage_hours u where u.project_id > project.id
      order by u.project_id limit 1)
    from project where project.id is not null
  )`;

/** Each project's days after the last that is written down, up to its last hour and yesterday. */
const MISSING = `
  ${PROJECTS_WITH_USAGE}
  select project.id as "projectId", day::date::text as day
  from project
  cross join lateral (
    select coalesce(
      (select r.day + 1 from usage_rolled_days r where r.project_id = project.id
        order by r.day desc limit 1),
      (select (u.hour at time zone 'UTC')::date from usage_hours u
        where u.project_id = project.id order by u.hour limit 1)) as first
  ) as span
  cross join lateral generate_series(span.first,
    least((now() at time zone 'UTC')::date - 1, (
      select (u.hour at time zone 'UTC')::date from usage_hours u
      where u.project_id = project.id order by u.hour desc limit 1)),
    interval '1 day') as day
  where project.id is not null
  limit $1::int`;

const WRITE_DOWN = `
  insert into usage_rolled_days (project_id, day)
  select * from unnest(($1::text)::uuid[], ($2::text)::date[]) order by 1, 2
  on conflict do nothing`;

/** @returns whether the totals are valid now: false when a write came late */
async function rollUpDay(sql: TransactionSql, { projectId, day }: ProjectDay): Promise<boolean> {
  const [standing] = await sql.unsafe<{ lateWrites: number }[]>(LATE_WRITES, [projectId, day]);
  if (standing === undefined) return false;
  for (const statement of ADD_UP) await sql.unsafe(statement, [projectId, day]);
  const valid = await sql.unsafe(MAKE_VALID, [projectId, day, standing.lateWrites]);
  return valid.count === 1;
}

const LATE_WRITES = `
  select late_writes as "lateWrites" from usage_rolled_days
  where project_id = $1::uuid and day = ($2::text)::date and rolled_at is null`;

const MAKE_VALID = `
  update usage_rolled_days set rolled_at = now()
  where project_id = $1::uuid and day = ($2::text)::date and late_writes = $3::int`;

const HOURS_OF_DAY = `
  project_id = $1::uuid and hour >= ($2::text)::date::timestamp at time zone 'UTC'
    and hour < (($2::text)::date + 1)::timestamp at time zone 'UTC'`;
const ALLOWED_AND_DENIED = `
  coalesce(sum(count) filter (where outcome = 'allowed'), 0),
  coalesce(sum(count) filter (where outcome <> 'allowed'), 0)`;

const ADD_UP = [
  `delete from usage_outcome_hours where ${HOURS_OF_DAY}`,
  'delete from usage_policy_days where project_id = $1::uuid and day = ($2::text)::date',
  'delete from usage_key_days where project_id = $1::uuid and day = ($2::text)::date',
  `insert into usage_outcome_hours (project_id, hour, outcome, count)
    select project_id, hour, outcome, sum(count) from usage_hours where ${HOURS_OF_DAY}
    group by 1, 2, 3 order by 1, 2, 3`,
  `insert into usage_policy_days (project_id, day, policy_id, allowed, denied)
    select project_id, ($2::text)::date, policy_id, ${ALLOWED_AND_DENIED}
    from usage_hours where ${HOURS_OF_DAY} group by 1, 2, 3 order by 1, 2, 3`,
  `insert into usage_key_days (project_id, day, api_key_id, allowed, denied)
    select project_id, ($2::text)::date, api_key_id, ${ALLOWED_AND_DENIED}
    from usage_hours where ${HOURS_OF_DAY} group by 1, 2, 3 order by 1, 2, 3`,
];
