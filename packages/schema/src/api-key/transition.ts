import type { ApiKeyStatus, ApiKeySummary } from '@ceiba/contract';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
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

/** Sets or clears (null) the expiry of an active key. A past instant expires it at once. */
export async function setApiKeyExpiry(
  ctx: VerbContext,
  input: ApiKeyRef & { expiresAt: Date | null },
): Promise<TransitionResult> {
  const { expiresAt, ...ref } = checked(input, ['expiresAt']);
  return transition(ctx, ref, 'set_expiry', { expiresAt });
}

type Trigger = 'revoke' | 'archive' | 'set_expiry';
type NewLife = { expiresAt?: Date | null };

async function transition(
  ctx: VerbContext,
  ref: ApiKeyRef,
  trigger: Trigger,
  set?: NewLife,
): Promise<TransitionResult> {
  const result = await changeApiKey(ctx, ref, changeOfLife(trigger, set));
  return 'key' in result ? { kind: result.kind, apiKey: toSummary(result.key) } : result;
}

/** For one key or several. */
export const changeOfLife = (trigger: Trigger, set: NewLife = {}): ApiKeyChange => ({
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
