import type { ApiKeyStatus } from '@ceiba/contract';
import { sql } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { type ApiKeyChange, changeApiKey } from './change.ts';
import type { ApiKeyRef } from './get.ts';

export type SetApiKeyDisabledResult =
  | { kind: 'updated' | 'unchanged' }
  | { kind: 'conflict'; status: ApiKeyStatus }
  | { kind: 'not_found' };

/** Denies an active key from the next decision on, until it is enabled (ADR 0028). */
export const disableApiKey = (ctx: VerbContext, ref: ApiKeyRef) => setDisabled(ctx, ref, true);

/** Ends what {@link disableApiKey} began: the next decision no longer denies the key for it. */
export const enableApiKey = (ctx: VerbContext, ref: ApiKeyRef) => setDisabled(ctx, ref, false);

async function setDisabled(
  ctx: VerbContext,
  ref: ApiKeyRef,
  isDisabled: boolean,
): Promise<SetApiKeyDisabledResult> {
  const result = await changeApiKey(ctx, ref, changeOfDisabled(isDisabled));
  return 'key' in result ? { kind: result.kind } : result;
}

/** For one key or several. */
export const changeOfDisabled = (isDisabled: boolean): ApiKeyChange => ({
  trigger: 'set_disabled',
  action: isDisabled ? 'api_key.disable' : 'api_key.enable',
  set: { disabledAt: isDisabled ? sql`now()` : null },
  isDone: ({ disabledAt }) => (disabledAt !== null) === isDisabled,
  stateOf: ({ disabledAt }) => ({ disabledAt: disabledAt?.toISOString() ?? null }),
});
