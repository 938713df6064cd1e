import type { ApiKeyStatus, ApiKeySummary } from '@ceiba/contract';
import type { VerbContext } from '../context.ts';
import { type ApiKeyChange, changeApiKey } from './change.ts';
import type { ApiKeyRef } from './get.ts';
import type { ChangedKey } from './lock.ts';
import { toSummary } from './summary.ts';

export type TransitionResult =
  | { kind: 'updated' | 'unchanged'; apiKey: ApiKeySummary }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/** Revokes a key: it is denied from the next decision on. Cannot be undone. */
export const revokeApiKey = (ctx: VerbContext, ref: ApiKeyRef) => transition(ctx, ref, 'revoke');

/** Archives a key: it is denied from the next decision on. Cannot be undone. */
export const archiveApiKey = (ctx: VerbContext, ref: ApiKeyRef) => transition(ctx, ref, 'archive');

async function transition(
  ctx: VerbContext,
  ref: ApiKeyRef,
  trigger: 'revoke' | 'archive',
): Promise<TransitionResult> {
  const result = await changeApiKey(ctx, ref, changeOfLife(trigger));
  return 'key' in result ? { kind: result.kind, apiKey: toSummary(result.key) } : result;
}

/** For one key or several. */
export const changeOfLife = (
  trigger: 'revoke' | 'archive' | 'set_expiry',
  set: { expiresAt?: Date | null } = {},
): ApiKeyChange => ({
  trigger,
  action: `api_key.${trigger}`,
  set,
  stateOf: lifeOf,
});

/** What the audit log shows of where a key is in its life. */
export function lifeOf(key: ChangedKey) {
  const { status, expiresAt, revokedAt, archivedAt } = toSummary(key);
  return { status, expiresAt, revokedAt, archivedAt };
}
