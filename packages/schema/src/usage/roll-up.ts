/**
 * Days that are over are added up, so that a page about a year need not read millions of hours
 * (consistency rule 24, docs/adr/0009-daily-totals-of-usage.md).
 *
 * The totals of a day count only while `usage_rolled_days` says that they were made; else the
 * day's hours are read. So they are right as long as no write to the hours goes unnoticed:
 * 1. A day is written down first, without totals, under a lock that every writer of usage shares.
 *    Who wrote before has committed by then; who writes after sees the day there.
 * 2. A writer that changes an hour of such a day counts a late write and voids its totals, in the
 *    statement that changes the hour (`record.ts`).
 * 3. Totals become valid only if no write came late while they were made.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../connection/database.ts';
import { takeLock } from '../locks.ts';
import { projectsIn } from './remove.ts';
import { asUpkeep } from './upkeep.ts';

/** Writers wait behind whoever waits for their lock; so that one gives up soon. */
const LOCK_TIMEOUT_MS = 500;

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
  db: { orm: Transactor },
  { mostDays }: { mostDays: number },
): Promise<RollUpResult> {
  const pending = await asUpkeep(db, (tx) => pendingDays(tx, mostDays));
  if (pending === null) return { rolledDays: 0, isComplete: true };
  let rolledDays = 0;
  for (const day of pending) {
    const rolled = await rollUpDay(db, day);
    if (rolled === null) return { rolledDays, isComplete: true };
    if (rolled) rolledDays += 1;
  }
  return { rolledDays, isComplete: pending.length < mostDays };
}

type ProjectDay = {
  projectId: string;
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  lateWrites: number;
};

/** Writes down the days that are missing, then lists what has no valid totals. */
async function pendingDays(tx: Executor, mostDays: number): Promise<ProjectDay[]> {
  const missing = await missingDays(tx, mostDays);
  if (missing.length > 0) {
    await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`));
    await takeLock(tx, 'usageWriters');
    await tx.execute(sql`
      insert into usage_rolled_days (project_id, day)
      select * from unnest(${listOf(missing.map(({ projectId }) => projectId))}::uuid[],
        ${listOf(missing.map(({ day }) => day))}::date[]) order by 1, 2
      on conflict do nothing`);
  }
  return [
    ...(await tx.execute<ProjectDay>(sql`
      select project_id as "projectId", day::text as day, late_writes as "lateWrites"
      from usage_rolled_days where rolled_at is null order by project_id, day limit ${mostDays}`)),
  ];
}

const listOf = (values: readonly string[]) => `{${values.join(',')}}`;

/** Each project's days after the last that is written down, up to its last hour and yesterday. */
async function missingDays(tx: Executor, mostDays: number) {
  const dayOfHour = (order: SQL) => sql`(
    select (u.hour at time zone 'UTC')::date from usage_hours u
    where u.project_id = project.id order by u.hour ${order} limit 1)`;
  return tx.execute<{ projectId: string; day: string }>(sql`
    with recursive ${projectsIn(sql`usage_hours`)}
    select project.id as "projectId", day::date::text as day
    from project
    cross join lateral generate_series(
      coalesce((select r.day + 1 from usage_rolled_days r where r.project_id = project.id
        order by r.day desc limit 1), ${dayOfHour(sql`asc`)})::timestamp,
      least((now() at time zone 'UTC')::date - 1, ${dayOfHour(sql`desc`)})::timestamp,
      interval '1 day') as day
    where project.id is not null
    limit ${mostDays}`);
}

/** Undoes the totals of a day that was written to while they were made. */
class CameLate extends Error {}

/** @returns whether the totals are valid now; null where somebody else does the upkeep */
async function rollUpDay(db: { orm: Transactor }, day: ProjectDay): Promise<boolean | null> {
  try {
    return await asUpkeep(db, async (tx) => {
      await addUp(tx, day);
      const valid = await tx.execute(sql`
        update usage_rolled_days set rolled_at = now()
        where project_id = ${day.projectId} and day = ${day.day}::date
          and rolled_at is null and late_writes = ${day.lateWrites}`);
      if (valid.count !== 1) throw new CameLate();
      return true;
    });
  } catch (fault) {
    if (fault instanceof CameLate) return false;
    throw fault;
  }
}

async function addUp(tx: Executor, { projectId, day }: ProjectDay): Promise<void> {
  const hours = sql`project_id = ${projectId}
    and hour >= ${day}::timestamp at time zone 'UTC'
    and hour < (${day}::timestamp + interval '1 day') at time zone 'UTC'`;
  const days = sql`project_id = ${projectId} and day = ${day}::date`;
  const counts = sql`
    coalesce(sum(count) filter (where outcome = 'allowed'), 0) as allowed,
    coalesce(sum(count) filter (where outcome <> 'allowed'), 0) as denied`;
  await tx.execute(sql`delete from usage_outcome_hours where ${hours}`);
  await tx.execute(sql`delete from usage_outcome_days where ${days}`);
  await tx.execute(sql`delete from usage_policy_days where ${days}`);
  await tx.execute(sql`delete from usage_key_days where ${days}`);
  await tx.execute(sql`
    insert into usage_outcome_hours (project_id, hour, outcome, count)
    select project_id, hour, outcome, sum(count) from usage_hours where ${hours}
    group by 1, 2, 3 order by 1, 2, 3`);
  await tx.execute(sql`
    insert into usage_outcome_days (project_id, day, outcome, count)
    select project_id, ${day}::date, outcome, sum(count) from usage_outcome_hours where ${hours}
    group by 1, 2, 3 order by 1, 2, 3`);
  await tx.execute(sql`
    insert into usage_policy_days (project_id, day, policy_id, allowed, denied)
    select project_id, ${day}::date, policy_id, ${counts} from usage_hours where ${hours}
    group by 1, 2, 3 order by 1, 2, 3`);
  await tx.execute(sql`
    insert into usage_key_days (project_id, day, api_key_id, allowed, denied, rank)
    select *, row_number() over (order by allowed desc, api_key_id) from (
      select project_id, ${day}::date, api_key_id, ${counts} from usage_hours where ${hours}
      group by 1, 2, 3
    ) of_key order by api_key_id`);
}
