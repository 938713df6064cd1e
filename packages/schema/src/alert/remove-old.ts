import { type SQL, sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../connection/database.ts';
import { asUpkeep } from '../usage/upkeep.ts';

/** For how long the history of deliveries and the memory of sent alerts are kept: over a month. */
const ALERT_DAYS = 60;
const FAILURE_DAYS = 7;
/** A statement of so many is short, although each alert takes its deliveries with it. */
const ROWS_MAX = 5_000;

/**
 * Deletes up to 5,000 old alerts with their deliveries, as many old mails, whose links then end, and as
 * many old numbers of failed decisions.
 *
 * @returns whether nothing is left that is as old, or another Runtime does it
 */
export async function removeOldAlerts(db: { orm: Transactor }): Promise<{ isComplete: boolean }> {
  const removed = await asUpkeep(db, async (tx) => [
    await remove(tx, sql`alert_events`, sql`created_at`, ALERT_DAYS),
    await remove(tx, sql`alert_mails`, sql`sent_at`, ALERT_DAYS),
    await remove(tx, sql`decision_failures`, sql`minute`, FAILURE_DAYS),
  ]);
  return { isComplete: removed === null || removed.every((count) => count < ROWS_MAX) };
}

async function remove(tx: Executor, table: SQL, column: SQL, days: number): Promise<number> {
  const { count } = await tx.execute(sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${column} < now() - make_interval(days => ${days})
      limit ${ROWS_MAX}))`);
  return count;
}
