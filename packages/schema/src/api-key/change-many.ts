import type { ApiKeyStatus } from '@ceiba/contract';
import { allOrNothing, type VerbContext } from '../context.ts';
import { readKeyNames } from './names.ts';
import {
  archiveApiKey,
  revokeApiKey,
  setApiKeyExpiry,
  type TransitionResult,
} from './transition.ts';

export type ApiKeysChange =
  | { kind: 'revoke' | 'archive' }
  | { kind: 'set_expiry'; expiresAt: Date | null };

export interface ChangeApiKeysInput {
  projectId: string;
  /** Each is changed once, however often it is named. */
  apiKeyIds: readonly string[];
  change: ApiKeysChange;
}

/** A key that was left as it was, and why: its status, or that the project has no such key. */
export interface UnchangedApiKey {
  apiKeyId: string;
  /** Null where the project has no such key. */
  displayName: string | null;
  reason: ApiKeyStatus | 'not_found';
}

export interface ChangeApiKeysResult {
  /** How many keys are now as asked, also those that were so before. */
  done: number;
  refused: UnchangedApiKey[];
}

/**
 * Makes one change to several keys, in one transaction: after an error none is changed. A key whose
 * status does not allow the change is left as it is and reported. One audit row per key.
 */
export function changeApiKeys(
  ctx: VerbContext,
  { projectId, apiKeyIds, change }: ChangeApiKeysInput,
): Promise<ChangeApiKeysResult> {
  return allOrNothing(ctx, async (within) => {
    // In the order in which the usage flush locks keys, so that the two cannot deadlock.
    const ids = [...new Set(apiKeyIds.map((id) => id.toLowerCase()))].sort();
    const names = await readKeyNames(within.db, { projectId, apiKeyIds: ids });
    const result: ChangeApiKeysResult = { done: 0, refused: [] };
    for (const apiKeyId of ids) {
      const reason = refusalOf(await changeOne(within, { projectId, apiKeyId }, change));
      if (reason === null) result.done += 1;
      else {
        const displayName = names.get(apiKeyId)?.displayName ?? null;
        result.refused.push({ apiKeyId, displayName, reason });
      }
    }
    return result;
  });
}

function changeOne(
  ctx: VerbContext,
  ref: { projectId: string; apiKeyId: string },
  change: ApiKeysChange,
): Promise<TransitionResult> {
  switch (change.kind) {
    case 'revoke':
      return revokeApiKey(ctx, ref);
    case 'archive':
      return archiveApiKey(ctx, ref);
    case 'set_expiry':
      return setApiKeyExpiry(ctx, { ...ref, expiresAt: change.expiresAt });
  }
}

function refusalOf(result: TransitionResult): UnchangedApiKey['reason'] | null {
  switch (result.kind) {
    case 'updated':
    case 'unchanged':
      return null;
    case 'conflict':
      return result.status;
    case 'not_found':
      return 'not_found';
  }
}
