import { type SQL, sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../connection/database.ts';
import { readRetention } from '../settings/retention.ts';
import { projectsIn } from '../usage/remove.ts';
import { asUpkeep } from '../usage/upkeep.ts';
import { createPartitions, dayIn, dropPartitions } from './partitions.ts';

/**
 * Creates the partitions of today and tomorrow, drops those past the retention and of the future, and removes the rows
 * of deleted projects, of which one call removes at most `maxRows`. Call it until it is complete.
 *
 * @returns complete also while another Runtime does the upkeep
 */
export async function maintainDecisionLog(
  db: { orm: Transactor },
  { maxRows }: { maxRows: number },
): Promise<{ isComplete: boolean }> {
  // Three transactions: a drop blocks readers and writers of all days until its transaction ends.
  await asUpkeep(db, async (tx) => createPartitions(tx, [await dayIn(tx, 0), await dayIn(tx, 1)]));
  await asUpkeep(db, async (tx) => dropPartitions(tx, await firstDayKept(tx)));
  const isComplete = await asUpkeep(db, async (tx) => {
    const outside = sql`minute < ${await firstDayKept(tx)}::timestamp at time zone 'UTC'
      or minute > ${FUTURE}`;
    const removed = await removeGaps(tx, outside, maxRows);
    return (await removeDeletedProject(tx, maxRows - removed)) && removed < maxRows;
  });
  return { isComplete: isComplete ?? true };
}

/** No clock that is nearly right counts so far ahead. */
const FUTURE = sql`now() + interval '2 days'`;

async function firstDayKept(tx: Executor): Promise<string> {
  const { decisionDays } = await readRetention({ orm: tx });
  return dayIn(tx, -decisionDays);
}

/** @returns whether there was none with rows left */
async function removeDeletedProject(tx: Executor, maxRows: number): Promise<boolean> {
  const projectId =
    (await findDeletedProject(tx, sql`decisions`)) ??
    (await findDeletedProject(tx, sql`decision_gaps`));
  if (projectId === undefined) return true;
  await removeGaps(tx, sql`project_id = ${projectId}`, maxRows);
  await tx.execute(sql`
    delete from decisions d using (
      select at, decision_id from decisions where project_id = ${projectId}
      order by at, decision_id limit ${maxRows}
    ) old
    where d.project_id = ${projectId} and d.at = old.at and d.decision_id = old.decision_id`);
  return false;
}

async function findDeletedProject(tx: Executor, table: SQL): Promise<string | undefined> {
  const [found] = await tx.execute<{ id: string }>(sql`
    with recursive ${projectsIn(table)}
    select project.id from project left join projects p on p.id = project.id
    where project.id is not null and p.id is null limit 1`);
  return found?.id;
}

async function removeGaps(tx: Executor, condition: SQL, maxRows: number): Promise<number> {
  const { count } = await tx.execute(sql`
    delete from decision_gaps where ctid = any(array(
      select ctid from decision_gaps where ${condition} limit ${maxRows}))`);
  return count;
}
