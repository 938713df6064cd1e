import type { ApiKeyStatus } from '@ceiba/contract';
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { allOrNothing, type VerbContext } from '../context.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyFilter, matching } from './search.ts';
import { disableApiKey, enableApiKey, type SetApiKeyDisabledResult } from './set-disabled.ts';
import {
  archiveApiKey,
  revokeApiKey,
  setApiKeyExpiry,
  type TransitionResult,
} from './transition.ts';

export type ApiKeysChange =
  | { kind: 'revoke' | 'archive' | 'disable' | 'enable' }
  | { kind: 'set_expiry'; expiresAt: Date | null };

export interface ChangeApiKeysInput {
  projectId: string;
  /** Each is changed once, however often it is named. */
  apiKeyIds: readonly string[];
  /** What the list showed them for: a key that no longer matches is left as it is. */
  filter?: ApiKeyFilter | undefined;
  change: ApiKeysChange;
}

/**
 * A key that was left as it was, and why: its status, that it does not match the filter any more, or that
 * the project has no such key.
 */
export interface UnchangedApiKey {
  apiKeyId: string;
  /** Null where the project has no such key. */
  displayName: string | null;
  reason: ApiKeyStatus | 'unmatched' | 'not_found';
}

export interface ChangeApiKeysResult {
  /** How many keys are now as asked, also those that were so before. */
  done: number;
  /** The keys that were not so before. */
  changed: string[];
  refused: UnchangedApiKey[];
}

/**
 * Makes one change to several keys, in one transaction: after an error none is changed. A key whose
 * status does not allow the change, or that does not match the filter any more, is left as it is and
 * reported. No other key is changed, whatever matches by then. One audit row per changed key.
 */
export function changeApiKeys(
  ctx: VerbContext,
  { projectId, apiKeyIds, filter, change }: ChangeApiKeysInput,
): Promise<ChangeApiKeysResult> {
  return allOrNothing(ctx, async (within) => {
    // In the order in which the usage flush locks keys, so that the two cannot deadlock.
    const ids = [...new Set(apiKeyIds.map((id) => id.toLowerCase()))].sort();
    const locked = await lockKeys(within.db.orm, { projectId, ids, filter });
    const result: ChangeApiKeysResult = { done: 0, changed: [], refused: [] };
    for (const apiKeyId of ids) {
      const { displayName = null, matches = true } = locked.get(apiKeyId) ?? {};
      const changed: Changed = matches
        ? await changeOne(within, { projectId, apiKeyId }, change)
        : { kind: 'unmatched' };
      const reason = refusalOf(changed);
      if (reason === null) result.done += 1;
      else result.refused.push({ apiKeyId, displayName, reason });
      if (changed.kind === 'updated') result.changed.push(apiKeyId);
    }
    return result;
  });
}

/**
 * Locks the keys, so that what they match now they match until the end. A key that is no longer active
 * counts as matching: its status says more about why it is left.
 */
async function lockKeys(
  tx: Executor,
  {
    projectId,
    ids,
    filter,
  }: { projectId: string; ids: string[]; filter: ApiKeyFilter | undefined },
) {
  const matches: SQL<boolean> =
    filter === undefined
      ? sql`true`
      : sql`(${apiKeys.status} <> 'active' or ${matching({ projectId, ...filter })})`;
  const rows = await tx
    .select({ id: apiKeys.id, displayName: apiKeys.displayName, matches })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.id, ids)))
    .orderBy(asc(apiKeys.id))
    .for('no key update');
  return new Map(rows.map((row) => [row.id, row]));
}

type Changed = TransitionResult | SetApiKeyDisabledResult | { kind: 'unmatched' };

function changeOne(
  ctx: VerbContext,
  ref: { projectId: string; apiKeyId: string },
  change: ApiKeysChange,
): Promise<Changed> {
  switch (change.kind) {
    case 'revoke':
      return revokeApiKey(ctx, ref);
    case 'archive':
      return archiveApiKey(ctx, ref);
    case 'disable':
      return disableApiKey(ctx, ref);
    case 'enable':
      return enableApiKey(ctx, ref);
    case 'set_expiry':
      return setApiKeyExpiry(ctx, { ...ref, expiresAt: change.expiresAt });
  }
}

function refusalOf(result: Changed): UnchangedApiKey['reason'] | null {
  switch (result.kind) {
    case 'updated':
    case 'unchanged':
      return null;
    case 'conflict':
      return result.status;
    case 'unmatched':
    case 'not_found':
      return result.kind;
  }
}
