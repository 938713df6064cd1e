import type { ApiKeyStatus, ApiKeySummary } from '@ceiba/contract';
import { type ApiKeyTrigger, statusAfter, statusesThat, TRANSITIONS } from '@ceiba/domain';
import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { AuditAction } from '../audit/actions.ts';
import { writeAudits } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { apiKeys } from '../tables.ts';
import type { ApiKeyRef } from './get.ts';
import { type ChangedKey, changeColumns, type LockedKey, lockApiKey } from './lock.ts';
import { toSummary } from './summary.ts';

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

type LockedKeyResult =
  | { kind: 'updated' | 'unchanged'; key: ChangedKey }
  | { kind: 'conflict'; status: ApiKeyStatus };

export type TransitionResult =
  | { kind: 'updated' | 'unchanged'; apiKey: ApiKeySummary }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/** Changes one key, as {@link changeLockedKeys}. */
export function changeApiKey(
  ctx: VerbContext,
  ref: ApiKeyRef,
  change: ApiKeyChange,
): Promise<TransitionResult> {
  return inTransaction(ctx, async (tx) => {
    const key = await lockApiKey(tx, ref);
    if (key === undefined) return { kind: 'not_found' };
    const changed = await changeLockedKeys(tx, ctx, { ...ref, keys: [key] }, change);
    const result = changed.get(key.apiKeyId) ?? { kind: 'not_found' };
    return 'key' in result ? { kind: result.kind, apiKey: toSummary(result.key) } : result;
  });
}

/**
 * Makes one change to locked keys of a project: one UPDATE, guarded by the statuses that the transition
 * table permits, and an audit row for each key that it changed, in their order.
 *
 * @returns what became of each, by its ID
 */
export async function changeLockedKeys(
  tx: Executor,
  ctx: VerbContext,
  { projectId, keys }: { projectId: string; keys: readonly LockedKey[] },
  { action, set, stateOf, ...change }: ApiKeyChange,
): Promise<Map<string, LockedKeyResult>> {
  const results = new Map(keys.map((key) => [key.apiKeyId, judge(key, change)]));
  const changing = keys.filter(({ apiKeyId }) => results.get(apiKeyId)?.kind === 'updated');
  if (changing.length === 0) return results;
  const ids = changing.map(({ apiKeyId }) => apiKeyId);
  const { trigger } = change;
  const rows = await tx
    .update(apiKeys)
    .set({ status: statusAfter(trigger), ...set })
    .where(
      and(
        eq(apiKeys.projectId, projectId),
        inArray(apiKeys.id, ids),
        inArray(apiKeys.status, statusesThat(trigger, 'updated')),
      ),
    )
    .returning(changeColumns);
  const changed = new Map(rows.map((row) => [row.apiKeyId, row]));
  const entries = changing.map((before) => {
    const { apiKeyId, ownerId } = before;
    const after = changed.get(apiKeyId);
    if (after === undefined) throw new Error('a locked row changed its status');
    results.set(apiKeyId, { kind: 'updated', key: after });
    const target = { id: apiKeyId, label: after.displayName };
    return { action, target, projectId, ownerId, before: stateOf(before), after: stateOf(after) };
  });
  await writeAudits(tx, ctx, entries);
  return results;
}

/** What becomes of a key: `updated` is still to be done. */
function judge(
  key: LockedKey,
  { trigger, isDone, isOutdated }: Pick<ApiKeyChange, 'trigger' | 'isDone' | 'isOutdated'>,
): LockedKeyResult {
  const { status } = key;
  const outcome = TRANSITIONS[trigger][status];
  if (outcome === 'conflict') return { kind: 'conflict', status };
  if (outcome === 'unchanged' || isDone?.(key)) return { kind: 'unchanged', key };
  return isOutdated?.(key) ? { kind: 'conflict', status } : { kind: 'updated', key };
}
