import type { ApiKeyStatus } from '@ceiba/contract';
import { type KeyLimits, limitsIn } from '@ceiba/domain';
import { isUnchanged, type VerbContext } from '../context.ts';
import { checked, LIMIT_NAMES } from '../input.ts';
import { changeApiKey } from './change.ts';
import type { ApiKeyRef } from './get.ts';

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
  const limits = checked(input, LIMIT_NAMES);
  const result = await changeApiKey(ctx, ref, {
    trigger: 'set_limits',
    action: 'api_key.set_limits',
    set: limits,
    isDone: (key) => isUnchanged(limitsOf(key), { ...limitsOf(key), ...limits }),
    stateOf: limitsOf,
  });
  if (!('key' in result)) return result;
  const { kind, key } = result;
  return { kind, limits: limitsOf(key), displayName: key.displayName };
}

const limitsOf = (key: KeyLimits): KeyLimits => limitsIn(key);
