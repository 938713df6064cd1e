import type { ApiKeyStatus } from '@ceiba/contract';
import { API_KEYS_CHANGED_MAX } from '@ceiba/domain';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyChange, changeLockedKeys } from './change.ts';
import { lockApiKeys } from './lock.ts';
import { type ApiKeyFilter, matching } from './search.ts';
import { changeOfDisabled, changeOfLife } from './transition.ts';

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
 * reported. No other key is changed, whatever matches by then. One audit row per changed key. The
 * number of statements does not depend on that of the keys.
 *
 * @throws InvalidInputError for an expiry that Postgres cannot hold
 * @throws RangeError for more than {@link API_KEYS_CHANGED_MAX} keys
 */
export async function changeApiKeys(
  ctx: VerbContext,
  { projectId, apiKeyIds, filter, change: asked }: ChangeApiKeysInput,
): Promise<ChangeApiKeysResult> {
  const change = changeOf(asked);
  const ids = [...new Set(apiKeyIds.map((id) => id.toLowerCase()))].sort();
  if (ids.length > API_KEYS_CHANGED_MAX) throw new RangeError('too many keys for one change');
  return inTransaction(ctx, async (tx) => {
    // What they match once they are locked, they match until the end.
    const locked = await lockApiKeys(
      tx,
      and(eq(apiKeys.projectId, projectId), inArray(apiKeys.id, ids)),
      filter && matchesOrEnded({ projectId, ...filter }),
    );
    const keys = locked.filter(({ matches }) => matches);
    const results = await changeLockedKeys(tx, ctx, { projectId, keys }, change);
    const names = new Map(locked.map(({ apiKeyId, displayName }) => [apiKeyId, displayName]));
    const result: ChangeApiKeysResult = { done: 0, changed: [], refused: [] };
    for (const apiKeyId of ids) {
      const displayName = names.get(apiKeyId) ?? null;
      const outcome = results.get(apiKeyId);
      if (outcome?.kind === 'updated') result.changed.push(apiKeyId);
      if (outcome !== undefined && outcome.kind !== 'conflict') {
        result.done += 1;
        continue;
      }
      const missing = displayName === null ? 'not_found' : 'unmatched';
      result.refused.push({ apiKeyId, displayName, reason: outcome?.status ?? missing });
    }
    return result;
  });
}

/** A key that is no longer active counts as matching: its status says more about why it is left. */
const matchesOrEnded = (filter: ApiKeyFilter & { projectId: string }): SQL<boolean> =>
  sql`(${apiKeys.status} <> 'active' or ${matching(filter)})`;

function changeOf(asked: ApiKeysChange): ApiKeyChange {
  switch (asked.kind) {
    case 'revoke':
    case 'archive':
      return changeOfLife(asked.kind);
    case 'disable':
    case 'enable':
      return changeOfDisabled(asked.kind === 'disable');
    case 'set_expiry': {
      const { expiresAt } = checked(asked, ['expiresAt']);
      return changeOfLife('set_expiry', { expiresAt });
    }
  }
}
