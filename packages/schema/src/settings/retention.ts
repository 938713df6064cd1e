import { DECISION_RETENTION_DAYS } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { createSettings } from '../installation/id.ts';
import { settings } from '../tables.ts';

/** Days for which usage, the audit log and the decision log are kept; null keeps for ever. */
export interface Retention {
  usageDays: number | null;
  auditDays: number | null;
  decisionDays: number;
}

const columns = {
  usageDays: settings.usageRetentionDays,
  auditDays: settings.auditRetentionDays,
  decisionDays: settings.decisionRetentionDays,
};

const DEFAULTS: Retention = {
  usageDays: null,
  auditDays: null,
  decisionDays: DECISION_RETENTION_DAYS,
};

/** Reads the retention that an administrator has set. By default only the decision log ends. */
export async function readRetention(db: { orm: Executor }): Promise<Retention> {
  const [row] = await db.orm.select(columns).from(settings);
  return row ?? DEFAULTS;
}

export type SetRetentionResult = { kind: 'updated' | 'unchanged' };

/**
 * Sets how long each is kept; absent fields keep their values. Usage and the audit log: from
 * `RETENTION_DAYS_MIN` to `RETENTION_DAYS_MAX` days, or null. The decision log: from
 * `DECISION_RETENTION_DAYS_MIN` to `DECISION_RETENTION_DAYS_MAX` days. What is older is removed within
 * the hour (`applyRetention`, `maintainDecisionLog`).
 */
export async function setRetention(
  ctx: VerbContext,
  input: Partial<Retention>,
): Promise<SetRetentionResult> {
  const values = checked(input, ['usageDays', 'auditDays', 'decisionDays']);
  return inTransaction(ctx, async (tx) => {
    await createSettings(tx);
    const [before = DEFAULTS] = await tx.select(columns).from(settings).for('update');
    const after = { ...before, ...values };
    if (isUnchanged(before, after)) return { kind: 'unchanged' };
    await tx.update(settings).set({
      usageRetentionDays: after.usageDays,
      auditRetentionDays: after.auditDays,
      decisionRetentionDays: after.decisionDays,
      updatedAt: sql`now()`,
    });
    await writeAudit(tx, ctx, {
      action: 'retention.set',
      target: { id: 'retention' },
      before: { ...before },
      after,
    });
    return { kind: 'updated' };
  });
}
