import type { ApiKeyStatus, ApiKeySummary } from '@ceiba/contract';
import { type ApiKeyTrigger, statusesThat, TARGET_STATUS, TRANSITIONS } from '@ceiba/domain';
import { and, eq, inArray } from 'drizzle-orm';
import type { AuditAction } from '../audit/actions.ts';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { apiKeys, projects } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { summaryColumns, toSummary } from './summary.ts';

export type TransitionResult =
  | { kind: 'updated' | 'unchanged'; apiKey: ApiKeySummary }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/** Revokes a key: it is denied from the next decision on. Cannot be undone. */
export const revokeApiKey = (ctx: VerbContext, ref: ApiKeyRef) => transition(ctx, ref, 'revoke');

/** Archives a key: it is denied from the next decision on. Cannot be undone. */
export const archiveApiKey = (ctx: VerbContext, ref: ApiKeyRef) => transition(ctx, ref, 'archive');

/** Sets or clears (null) the expiry of an active key. A past instant expires it at once. */
export const setApiKeyExpiry = (
  ctx: VerbContext,
  { expiresAt, ...ref }: ApiKeyRef & { expiresAt: Date | null },
) => transition(ctx, ref, 'set_expiry', { expiresAt });

const AUDIT_ACTION = {
  revoke: 'api_key.revoke',
  archive: 'api_key.archive',
  set_expiry: 'api_key.set_expiry',
} as const satisfies Record<ApiKeyTrigger, AuditAction>;

/** One UPDATE, guarded by the states that the transition table permits. */
function transition(
  ctx: VerbContext,
  ref: ApiKeyRef,
  trigger: ApiKeyTrigger,
  values: { expiresAt?: Date | null } = {},
): Promise<TransitionResult> {
  return inTransaction(ctx, async (tx) => {
    const before = await readForUpdate(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    const outcome = TRANSITIONS[trigger][before.status];
    if (outcome === 'conflict') return { kind: 'conflict', status: before.status };
    if (outcome === 'unchanged') return { kind: 'unchanged', apiKey: toSummary(before) };
    const [row] = await tx
      .update(apiKeys)
      .set({ status: TARGET_STATUS[trigger], ...values })
      .where(and(isApiKey(ref), inArray(apiKeys.status, statusesThat(trigger, 'updated'))))
      .returning(summaryColumns);
    if (row === undefined) throw new Error('a locked row changed its status');
    const after = toSummary(row);
    await writeAudit(tx, ctx, {
      action: AUDIT_ACTION[trigger],
      target: { id: ref.apiKeyId, label: after.displayName },
      projectId: ref.projectId,
      ownerId: before.ownerId,
      before: stateOf(toSummary(before)),
      after: stateOf(after),
    });
    return { kind: 'updated', apiKey: after };
  });
}

async function readForUpdate(tx: Executor, ref: ApiKeyRef) {
  const [row] = await tx
    .select({ ...summaryColumns, ownerId: projects.ownerId })
    .from(apiKeys)
    .innerJoin(projects, eq(projects.id, apiKeys.projectId))
    .where(isApiKey(ref))
    .for('no key update', { of: apiKeys });
  return row;
}

const stateOf = ({ status, expiresAt, revokedAt, archivedAt }: ApiKeySummary) => ({
  status,
  expiresAt,
  revokedAt,
  archivedAt,
});
