import type { ApiKeyStatus } from '@ceiba/contract';
import { type ApiKeyTrigger, statusAfter, statusesThat, TRANSITIONS } from '@ceiba/domain';
import { and, inArray, type SQL } from 'drizzle-orm';
import type { AuditAction } from '../audit/actions.ts';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { type ChangedKey, changeColumns, lockApiKey } from './lock.ts';

export interface ApiKeyChange {
  trigger: ApiKeyTrigger;
  action: AuditAction;
  set?: {
    [Column in keyof typeof apiKeys.$inferInsert]?: (typeof apiKeys.$inferInsert)[Column] | SQL;
  };
  /** Whether the change was meant for what the key has not any more. */
  isOutdated?: (key: ChangedKey) => boolean;
  /** Whether the key is as asked already, where the transition table does not say it. */
  isDone?: (key: ChangedKey) => boolean;
  /** What the audit row shows of the key before and after. */
  stateOf: (key: ChangedKey) => Record<string, unknown>;
}

export type ApiKeyChangeResult =
  | { kind: 'updated' | 'unchanged'; key: ChangedKey }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/** One UPDATE, guarded by the statuses that the transition table permits, and its audit row. */
export function changeApiKey(
  ctx: VerbContext,
  ref: ApiKeyRef,
  { trigger, action, set, isOutdated, isDone, stateOf }: ApiKeyChange,
): Promise<ApiKeyChangeResult> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockApiKey(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    const outcome = TRANSITIONS[trigger][before.status];
    if (outcome === 'conflict') return { kind: 'conflict', status: before.status };
    if (outcome === 'unchanged' || isDone?.(before)) return { kind: 'unchanged', key: before };
    if (isOutdated?.(before)) return { kind: 'conflict', status: before.status };
    const [after] = await tx
      .update(apiKeys)
      .set({ status: statusAfter(trigger), ...set })
      .where(and(isApiKey(ref), inArray(apiKeys.status, statusesThat(trigger, 'updated'))))
      .returning(changeColumns);
    if (after === undefined) throw new Error('a locked row changed its status');
    await writeAudit(tx, ctx, {
      action,
      target: { id: ref.apiKeyId, label: after.displayName },
      projectId: ref.projectId,
      ownerId: before.ownerId,
      before: stateOf(before),
      after: stateOf(after),
    });
    return { kind: 'updated', key: after };
  });
}
