import { sql } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { type ApiKeyChange, changeApiKey } from './change.ts';
import type { ApiKeyRef } from './get.ts';
import type { ChangedKey } from './lock.ts';
import { toSummary } from './summary.ts';

/** Revokes a key: it is denied from the next decision on. Cannot be undone. */
export const revokeApiKey = (ctx: VerbContext, ref: ApiKeyRef) =>
  changeApiKey(ctx, ref, changeOfLife('revoke'));

/** Archives a key: it is denied from the next decision on. Cannot be undone. */
export const archiveApiKey = (ctx: VerbContext, ref: ApiKeyRef) =>
  changeApiKey(ctx, ref, changeOfLife('archive'));

/** Denies an active key from the next decision on, until it is enabled (ADR 0028). */
export const disableApiKey = (ctx: VerbContext, ref: ApiKeyRef) =>
  changeApiKey(ctx, ref, changeOfDisabled(true));

/** Ends what {@link disableApiKey} began: the next decision no longer denies the key for it. */
export const enableApiKey = (ctx: VerbContext, ref: ApiKeyRef) =>
  changeApiKey(ctx, ref, changeOfDisabled(false));

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

/** For one key or several. */
export const changeOfDisabled = (isDisabled: boolean): ApiKeyChange => ({
  trigger: 'set_disabled',
  action: isDisabled ? 'api_key.disable' : 'api_key.enable',
  set: { disabledAt: isDisabled ? sql`now()` : null },
  isDone: ({ disabledAt }) => (disabledAt !== null) === isDisabled,
  stateOf: ({ disabledAt }) => ({ disabledAt: disabledAt?.toISOString() ?? null }),
});

/** What the audit log shows of where a key is in its life. */
export function lifeOf(key: ChangedKey) {
  const { status, expiresAt, revokedAt, archivedAt } = toSummary(key);
  return { status, expiresAt, revokedAt, archivedAt };
}
