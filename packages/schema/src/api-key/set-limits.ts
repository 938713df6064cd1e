import type { ApiKeyStatus } from '@ceiba/contract';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { lockApiKey } from './lock.ts';

export interface ApiKeyLimits {
  /** Requests per minute; null means that the key has no limit of its own. */
  rateLimitPerMinute: number | null;
  /** Requests per month in UTC; null means that the key has no limit of its own. */
  monthlyQuota: number | null;
}

export type SetApiKeyLimitsResult =
  | { kind: 'updated' | 'unchanged'; limits: ApiKeyLimits; displayName: string }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/**
 * Sets an active key's own limits; absent fields keep their values. What the key has used still
 * counts. A revoked or archived key is a conflict.
 */
export async function setApiKeyLimits(
  ctx: VerbContext,
  { limits: input, ...ref }: ApiKeyRef & { limits: Partial<ApiKeyLimits> },
): Promise<SetApiKeyLimitsResult> {
  const limits = checked(input);
  return inTransaction(ctx, async (tx) => {
    const key = await lockApiKey(tx, ref);
    if (key === undefined) return { kind: 'not_found' };
    const { displayName, status, ownerId, rateLimitPerMinute, monthlyQuota } = key;
    const old = { rateLimitPerMinute, monthlyQuota };
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
