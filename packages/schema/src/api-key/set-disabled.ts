import type { ApiKeyStatus } from '@ceiba/contract';
import { sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { lockApiKey } from './lock.ts';

export type SetApiKeyDisabledResult =
  | { kind: 'updated' | 'unchanged' }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/** Denies an active key from the next decision on, until it is enabled (ADR 0028). */
export const disableApiKey = (ctx: VerbContext, ref: ApiKeyRef) => setDisabled(ctx, ref, true);

/** Ends what {@link disableApiKey} began: the next decision no longer denies the key for it. */
export const enableApiKey = (ctx: VerbContext, ref: ApiKeyRef) => setDisabled(ctx, ref, false);

function setDisabled(
  ctx: VerbContext,
  ref: ApiKeyRef,
  isDisabled: boolean,
): Promise<SetApiKeyDisabledResult> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockApiKey(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    if (before.status !== 'active') return { kind: 'conflict', status: before.status };
    if ((before.disabledAt !== null) === isDisabled) return { kind: 'unchanged' };
    const [after] = await tx
      .update(apiKeys)
      .set({ disabledAt: isDisabled ? sql`now()` : null })
      .where(isApiKey(ref))
      .returning({ disabledAt: apiKeys.disabledAt });
    if (after === undefined) throw new Error('a locked row disappeared');
    await writeAudit(tx, ctx, {
      action: isDisabled ? 'api_key.disable' : 'api_key.enable',
      target: { id: ref.apiKeyId, label: before.displayName },
      projectId: ref.projectId,
      ownerId: before.ownerId,
      before: { disabledAt: before.disabledAt?.toISOString() ?? null },
      after: { disabledAt: after.disabledAt?.toISOString() ?? null },
    });
    return { kind: 'updated' };
  });
}
