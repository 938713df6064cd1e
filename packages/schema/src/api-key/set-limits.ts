import type { ApiKeyStatus } from '@ceiba/contract';
import { eachLimit, type KeyLimits } from '@ceiba/domain';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { lockApiKey } from './lock.ts';

export type SetApiKeyLimitsResult =
  | { kind: 'updated' | 'unchanged'; limits: KeyLimits; displayName: string }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/**
 * Sets an active key's own limits; absent fields keep their values. What the key has used still
 * counts. A revoked or archived key is a conflict.
 */
export async function setApiKeyLimits(
  ctx: VerbContext,
  { limits: input, ...ref }: ApiKeyRef & { limits: Partial<KeyLimits> },
): Promise<SetApiKeyLimitsResult> {
  const limits = checked(input);
  return inTransaction(ctx, async (tx) => {
    const key = await lockApiKey(tx, ref);
    if (key === undefined) return { kind: 'not_found' };
    const { displayName, status, ownerId } = key;
    const old = eachLimit((limit) => key[limit]);
    if (status !== 'active') return { kind: 'conflict', status };
    const after = { ...old, ...limits };
    if (isUnchanged(old, after)) return { kind: 'unchanged', limits: after, displayName };
    await tx.update(apiKeys).set(after).where(isApiKey(ref));
    await writeAudit(tx, ctx, {
      action: 'api_key.set_limits',
      target: { id: ref.apiKeyId, label: displayName },
      projectId: ref.projectId,
      ownerId,
      before: old,
      after,
    });
    return { kind: 'updated', limits: after, displayName };
  });
}
