import { ALERT_MEMORY_DAYS } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Transactor } from '../connection/database.ts';
import { asUpkeep, removeOlder } from '../usage/upkeep.ts';

const DAY = 24;
const ALERT_HOURS = ALERT_MEMORY_DAYS * DAY;
const FAILURE_HOURS = 7 * DAY;

const REMOVED = [
  { table: sql`alert_events`, column: sql`created_at`, hours: ALERT_HOURS },
  { table: sql`alert_mails`, column: sql`sent_at`, hours: ALERT_HOURS },
  { table: sql`decision_failures`, column: sql`minute`, hours: FAILURE_HOURS },
];

/**
 * Deletes up to 5,000 old alerts with their deliveries, as many old mails, whose links then end, and as
 * many old numbers of failed decisions.
 *
 * @returns whether nothing is left that is as old, or another Runtime does it
 */
export async function removeOldAlerts(db: { orm: Transactor }): Promise<{ isComplete: boolean }> {
  const complete = await asUpkeep(db, async (tx) => {
    const removed: boolean[] = [];
    for (const old of REMOVED) removed.push(await removeOlder(tx, old));
    return removed;
  });
  return { isComplete: complete === null || complete.every(Boolean) };
}
