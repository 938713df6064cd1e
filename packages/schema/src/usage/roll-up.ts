/**
 * Adds up the hours of past days, so that a page about a year need not read millions of hours
 * (rule daily-totals, docs/adr/0009-daily-totals-of-usage.md).
 *
 * The totals of a day are read only if `usage_rolled_days` marks them as valid, else its hours are.
 * No write to the hours may go unnoticed:
 * 1. A day is first inserted without totals, under a lock that all writers of usage share. Earlier
 *    writers have committed by then; later writers see the day.
 * 2. A writer that changes an hour of such a day counts a late write and invalidates its totals, in
 *    the same statement (`record.ts`).
 * 3. Totals become valid only if there was no late write while they were computed.
 */
import { type SQL, sql } from 'drizzle-orm';
import { arrayOf } from '../bulk.ts';
import { classifyError } from '../connection/classify-error.ts';
import type { Executor, Transactor } from '../connection/database.ts';
import { takeLock } from '../locks.ts';
import { projectsIn } from './remove.ts';
import { asUpkeep } from './upkeep.ts';

/** Writers queue behind a transaction that waits for their lock, so it gives up soon. */
const LOCK_TIMEOUT_MS = 500;

export interface RollUpResult {
  /** Days that this call added up. */
  rolledDays: number;
  /** Whether nothing is left to add up, or another Runtime does the upkeep. */
  isComplete: boolean;
}

/**
 * Adds up past days that have no valid totals. Today, by the database's clock, is never added up.
 *
 * @param maxDays the most days that this call adds up, over all projects
 * @throws the first error of a day, once the others are added up
 */
export async function rollUpUsage(
  db: { orm: Transactor },
  { maxDays }: { maxDays: number },
): Promise<RollUpResult> {
  const pending = await asUpkeep(db, (tx) => pendingDays(tx, maxDays));
  if (pending === null) return { rolledDays: 0, isComplete: true };
  let rolledDays = 0;
  const errors: unknown[] = [];
  for (const day of pending) {
    try {
      const rolled = await rollUpDay(db, day);
      if (rolled === null) return { rolledDays, isComplete: true };
      if (rolled) rolledDays += 1;
    } catch (error) {
      if (classifyError(error) === 'connection') throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return { rolledDays, isComplete: pending.length < maxDays };
}

type ProjectDay = {
  projectId: string;
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  lateWrites: number;
};

/**
 * Inserts the missing days, then lists days without valid totals, in random order: days that fail again
 * and again must not hold up the others.
 */
async function pendingDays(tx: Executor, maxDays: number): Promise<ProjectDay[]> {
  const missing = await missingDays(tx, maxDays);
  if (missing.length > 0) {
    await tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`));
    await takeLock(tx, 'usageWriters');
    await tx.execute(sql`
      insert into usage_rolled_days (project_id, day)
      select * from unnest(${arrayOf(missing.map(({ projectId }) => projectId))}::uuid[],
        ${arrayOf(missing.map(({ day }) => day))}::date[]) order by 1, 2
      on conflict do nothing`);
  }
  return [
    ...(await tx.execute<ProjectDay>(sql`
      select project_id as "projectId", day::text as day, late_writes as "lateWrites"
      from usage_rolled_days where rolled_at is null order by random() limit ${maxDays}`)),
  ];
}

/** Each project's days after its last one in `usage_rolled_days`, up to its last hour and yesterday. */
async function missingDays(tx: Executor, maxDays: number) {
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
    limit ${maxDays}`);
}

/** Rolls back the totals of a day that was written to while they were computed. */
class LateWriteError extends Error {}

/** @returns whether the totals are valid now; null while another Runtime does the upkeep */
async function rollUpDay(db: { orm: Transactor }, day: ProjectDay): Promise<boolean | null> {
  try {
    return await asUpkeep(db, async (tx) => {
      await addUp(tx, day);
      const valid = await tx.execute(sql`
        update usage_rolled_days set rolled_at = now()
        where project_id = ${day.projectId} and day = ${day.day}::date
          and rolled_at is null and late_writes = ${day.lateWrites}`);
      if (valid.count !== 1) throw new LateWriteError();
      return true;
    });
  } catch (error) {
    if (error instanceof LateWriteError) return false;
    throw error;
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
