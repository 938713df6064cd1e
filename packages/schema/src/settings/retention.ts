import { sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { settings } from '../tables.ts';

/** Days for which usage and the audit log are kept; null keeps them for ever. */
export interface Retention {
  usageDays: number | null;
  auditDays: number | null;
}

const columns = {
  usageDays: settings.usageRetentionDays,
  auditDays: settings.auditRetentionDays,
};

const KEEP_ALL: Retention = { usageDays: null, auditDays: null };

/** Reads the retention that an administrator has set. By default everything is kept. */
export async function readRetention(db: { orm: Executor }): Promise<Retention> {
  const [row] = await db.orm.select(columns).from(settings);
  return row ?? KEEP_ALL;
}

export type SetRetentionResult = { kind: 'updated' | 'unchanged' };

/**
 * Sets how long usage and the audit log are kept: from `RETENTION_DAYS_MIN` to `RETENTION_DAYS_MAX`
 * days, or null. Older rows are removed within the hour (`applyRetention`).
 */
export function setRetention(
  ctx: VerbContext,
  { usageDays, auditDays }: Retention,
): Promise<SetRetentionResult> {
  return inTransaction(ctx, async (tx) => {
    await tx.insert(settings).values({ id: true }).onConflictDoNothing();
    const [before = KEEP_ALL] = await tx.select(columns).from(settings).for('update');
    if (before.usageDays === usageDays && before.auditDays === auditDays) {
      return { kind: 'unchanged' };
    }
    await tx.update(settings).set({
      usageRetentionDays: usageDays,
      auditRetentionDays: auditDays,
      updatedAt: sql`now()`,
    });
    await writeAudit(tx, ctx, {
      action: 'retention.set',
      target: { id: 'retention' },
      before: { ...before },
      after: { usageDays, auditDays },
    });
    return { kind: 'updated' };
  });
}
