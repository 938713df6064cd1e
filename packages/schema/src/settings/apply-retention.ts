import { sql } from 'drizzle-orm';
import { removeExpiredTokens } from '../access-token/list.ts';
import { removeUnusedStreams } from '../audit/stream.ts';
import type { Executor, Transactor } from '../connection/database.ts';
import { findUsageToRemove, removeUsage } from '../usage/remove.ts';
import { asUpkeep } from '../usage/upkeep.ts';
import { readRetention } from './retention.ts';

export interface ApplyRetentionResult {
  removedRows: number;
  /** Whether nothing is left to remove, or another Runtime does the upkeep. */
  isComplete: boolean;
}

/**
 * Removes usage and audit rows past their retention, the usage of deleted projects, access tokens that
 * expired weeks ago and what waits for streams of the audit log that ended, in one transaction of at most `maxRows` rows of each. Call it until it is complete.
 */
export async function applyRetention(
  db: { orm: Transactor },
  { maxRows }: { maxRows: number },
): Promise<ApplyRetentionResult> {
  const removed = await asUpkeep(db, async (tx) => {
    const { usageDays, auditDays } = await readRetention({ orm: tx });
    const usage = await findUsageToRemove(tx, firstDayKept(usageDays));
    return usage === undefined
      ? (await removeAudit(tx, auditDays, maxRows)) +
          (await removeExpiredTokens(tx, maxRows)) +
          (await removeUnusedStreams(tx, maxRows))
      : removeUsage(tx, usage, maxRows);
  });
  return { removedRows: removed ?? 0, isComplete: removed === null || removed === 0 };
}

/** In UTC; null, which no day precedes, keeps everything. */
const firstDayKept = (days: number | null) =>
  sql`((now() at time zone 'UTC')::date - ${days}::int)`;

async function removeAudit(tx: Executor, days: number | null, maxRows: number): Promise<number> {
  const { count } = await tx.execute(sql`
    delete from audit_log where ctid = any(array(
      select ctid from audit_log
      where at < ${firstDayKept(days)}::timestamp at time zone 'UTC'
      order by at, id limit ${maxRows}))`);
  return count;
}
