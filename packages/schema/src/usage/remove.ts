import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { monthNumber } from '../time.ts';

/** A table of usage, and the condition for its rows before a day in UTC; none when the day is null. */
interface UsageTable {
  table: SQL;
  isBefore: (day: SQL) => SQL;
}

const ofHours = (table: SQL): UsageTable => ({
  table,
  isBefore: (day) => sql`hour < ${day}::timestamp at time zone 'UTC'`,
});
const ofDays = (table: SQL): UsageTable => ({ table, isBefore: (day) => sql`day < ${day}` });

const HOURS = ofHours(sql`usage_hours`);
const COST_HOURS = ofHours(sql`usage_cost_hours`);
const ROLLED_DAYS = ofDays(sql`usage_rolled_days`);
/** Never the current month: a counter that Redis lost is restored from it (rule month-totals). */
const MONTHS: UsageTable = {
  table: sql`usage_months`,
  isBefore: (day) =>
    sql`month < ${monthNumber(sql`(${day}::timestamp at time zone 'UTC')`)}
      and month < ${monthNumber()}`,
};

/** Never the current day, which is within the retention. */
const QUOTA_DAYS = ofDays(sql`usage_quota_days`);

/** In the order in which a flush writes, so that the two cannot deadlock. */
const TABLES = [
  HOURS,
  ofHours(sql`usage_outcome_hours`),
  ofDays(sql`usage_outcome_days`),
  ofDays(sql`usage_policy_days`),
  ofDays(sql`usage_key_days`),
  ROLLED_DAYS,
  MONTHS,
  QUOTA_DAYS,
  COST_HOURS,
];

export interface UsageToRemove {
  projectId: string;
  /** Removes what is before this day; null removes everything. */
  before: SQL | null;
}

/** @returns the number of removed rows: less than `maxRows` when nothing is left */
export async function removeUsage(
  tx: Executor,
  { projectId, before }: UsageToRemove,
  maxRows: number,
): Promise<number> {
  let removed = 0;
  for (const { table, isBefore } of TABLES) {
    const { count } = await tx.execute(sql`
      delete from ${table} where ctid = any(array(
        select ctid from ${table}
        where project_id = ${projectId} and ${before === null ? sql`true` : isBefore(before)}
        limit ${maxRows - removed}))`);
    removed += count;
    if (removed >= maxRows) break;
  }
  return removed;
}

/**
 * Finds a project with usage to remove: the usage before a day, or all of it if the project was
 * deleted.
 */
export async function findUsageToRemove(
  tx: Executor,
  before: SQL,
): Promise<UsageToRemove | undefined> {
  // Days are removed after their totals, so these five tables cover all of them.
  for (const { table, isBefore } of [HOURS, ROLLED_DAYS, MONTHS, QUOTA_DAYS, COST_HOURS]) {
    const [found] = await tx.execute<{ projectId: string; isGone: boolean }>(sql`
      with recursive ${projectsIn(table)}
      select project.id as "projectId", p.id is null as "isGone"
      from project left join projects p on p.id = project.id
      where project.id is not null and (p.id is null or exists (
        select from ${table} u where u.project_id = project.id and ${isBefore(before)}))
      limit 1`);
    if (found !== undefined) {
      return { projectId: found.projectId, before: found.isGone ? null : before };
    }
  }
  return undefined;
}

/**
 * For WITH RECURSIVE: `project(id)`, the projects in a table of usage, found by a loose index scan of
 * its primary key. The last one is null.
 */
export const projectsIn = (table: SQL): SQL => sql`
  project(id) as (
    (select project_id from ${table} order by project_id limit 1)
    union all
    select (select u.project_id from ${table} u where u.project_id > project.id
      order by u.project_id limit 1)
    from project where project.id is not null
  )`;
