import { overlapSecondsSchema } from '@ceiba/contract';
import { TRANSITIONS } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { apiKeys } from '../tables.ts';
import { changeApiKey, type TransitionResult } from './change.ts';
import type { Mint } from './create.ts';
import { findSecrets } from './digests.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { type ChangedKey, changeColumns, lockApiKey } from './lock.ts';
import { toSummary } from './summary.ts';

export interface RotateApiKeyInput extends ApiKeyRef {
  /** Of the secret to replace, so that a repeated call replaces no other one. */
  keyPrefix: string;
  /** How long the replaced secret stays valid, in seconds: 0 to 2,592,000. */
  overlapSeconds: number;
  /** Permits a secret that is still within its overlap to end at once. */
  confirm?: boolean | undefined;
  /** Makes the new secret, given what the keys of the project begin with. */
  mint: Mint;
}

/** The secret that a rotation has replaced. */
export interface ReplacedSecret {
  keyPrefix: string;
  /** ISO 8601, exclusive. */
  validUntil: string;
}

export type RotateApiKeyResult =
  | {
      kind: 'rotated';
      apiKeyId: string;
      displayName: string;
      keyPrefix: string;
      /** Shown once. */
      plaintextKey: string;
      /** Null where it has ended. */
      previous: ReplacedSecret | null;
    }
  | RotationConflict
  | { kind: 'not_found' };

/** Why a key was left as it is. */
export type RotationConflict = { kind: 'conflict' } & (
  | { why: 'revoked' | 'archived' | 'expired' }
  /** Its secret is another one than the one to replace, such as after a call whose answer was lost. */
  | { why: 'other_prefix'; keyPrefix: string }
  | { why: 'overlap_running'; previous: ReplacedSecret }
);

/**
 * Gives an active key a new secret. Everything else stays: its id, limits, counters, customer, scopes and
 * history. The replaced secret is valid for the overlap, and never past the key's expiry; one before it
 * ends (ADR 0061).
 *
 * @throws InvalidInputError where the overlap breaks its rule
 */
export async function rotateApiKey(
  ctx: VerbContext,
  input: RotateApiKeyInput,
): Promise<RotateApiKeyResult> {
  const { projectId, apiKeyId, overlapSeconds } = checked(input, [], {
    overlapSeconds: overlapSecondsSchema,
  });
  const ref = { projectId, apiKeyId };
  return changingProject(ctx, projectId, async (tx, project, audit) => {
    const before = await lockApiKey(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    const conflict = conflictOf(before, input);
    if (conflict !== null) return conflict;
    const minted = input.mint(project.keyPrefix);
    const known = await findSecrets(tx, projectId, [minted.digest]);
    if (known.size > 0) throw new Error('a new secret is one that the project has');
    await keepReplaced(tx, ref);
    const [after] = await tx
      .update(apiKeys)
      .set({
        keyDigest: minted.digest,
        keyPrefix: minted.prefix,
        isImported: false,
        ...(overlapSeconds === 0 ? NO_PREVIOUS : replacedFor(overlapSeconds)),
      })
      .where(isApiKey(ref))
      .returning(changeColumns);
    if (after === undefined) throw new Error('a locked key was not updated');
    const { displayName } = after;
    const states = { before: secretsOf(before), after: secretsOf(after) };
    await audit('api_key.rotate', { id: apiKeyId, label: displayName }, states);
    const { keyPrefix, previous } = secretsOf(after);
    const shown = { apiKeyId, displayName, keyPrefix };
    return { kind: 'rotated', ...shown, plaintextKey: minted.plaintext, previous };
  });
}

/** So that no import brings them back. A release before this one may have replaced the previous secret. */
const keepReplaced = (tx: Executor, ref: ApiKeyRef) =>
  tx.execute(sql`
    insert into replaced_secrets (project_id, digest, api_key_id)
    select project_id, unnest(array_remove(array[key_digest, previous_digest], null)), id
    from api_keys where ${isApiKey(ref)}
    on conflict do nothing`);

function conflictOf(
  key: ChangedKey,
  { keyPrefix, confirm = false }: RotateApiKeyInput,
): RotationConflict | null {
  const { status } = key;
  if (TRANSITIONS.rotate[status] === 'conflict' && status !== 'active') {
    return { kind: 'conflict', why: status };
  }
  if (key.isExpired) return { kind: 'conflict', why: 'expired' };
  if (key.keyPrefix !== keyPrefix) {
    return { kind: 'conflict', why: 'other_prefix', keyPrefix: key.keyPrefix };
  }
  const { previous } = secretsOf(key);
  if (previous === null || confirm) return null;
  return { kind: 'conflict', why: 'overlap_running', previous };
}

const NO_PREVIOUS = {
  previousDigest: null,
  previousPrefix: null,
  previousExpiresAt: null,
  previousLastUsedAt: null,
};

/** The current secret as the previous one. `least` ignores the null of a key without an expiry. */
const replacedFor = (overlapSeconds: number) => ({
  previousDigest: sql`${apiKeys.keyDigest}`,
  previousPrefix: sql`${apiKeys.keyPrefix}`,
  previousExpiresAt: sql`least(now() + make_interval(secs => ${overlapSeconds}), ${apiKeys.expiresAt})`,
  previousLastUsedAt: null,
});

/** What the audit log shows of the secrets of a key. */
function secretsOf(key: ChangedKey): { keyPrefix: string; previous: ReplacedSecret | null } {
  const { keyPrefix, previous } = toSummary(key);
  if (previous === undefined) return { keyPrefix, previous: null };
  const { validUntil } = previous;
  return { keyPrefix, previous: { keyPrefix: previous.keyPrefix, validUntil } };
}

export interface EndPreviousKeySecretInput extends ApiKeyRef {
  /**
   * Of the secret to end. After another rotation the previous one is a different secret, which callers
   * may still use: it is left, with a conflict (rule named-rotation).
   */
  keyPrefix?: string | undefined;
}

/**
 * Ends the overlap after a rotation of an active key: the next decision refuses the secret that it has
 * replaced.
 *
 * @returns a conflict with the status `active` where that secret is another one than was named
 */
export async function endPreviousKeySecret(
  ctx: VerbContext,
  { keyPrefix, ...ref }: EndPreviousKeySecretInput,
): Promise<TransitionResult> {
  return changeApiKey(ctx, ref, {
    trigger: 'end_previous_secret',
    action: 'api_key.end_previous_secret',
    set: NO_PREVIOUS,
    isDone: ({ hasPrevious }) => !hasPrevious,
    isOutdated: ({ previousPrefix }) => keyPrefix !== undefined && previousPrefix !== keyPrefix,
    stateOf: secretsOf,
  });
}
