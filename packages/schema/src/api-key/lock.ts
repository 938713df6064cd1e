import { asc, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { apiKeys } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { isExpired, summaryColumns } from './summary.ts';

/** What the changes of a key and their audit rows need. */
export const changeColumns = {
  ...summaryColumns,
  isExpired,
  note: apiKeys.note,
  disabledAt: apiKeys.disabledAt,
};

/**
 * Locks keys for a change, in the order of their IDs, as the flush of usage does: so no two changes of
 * several keys deadlock.
 *
 * @param matches a condition that each key is to be judged by once it is locked
 */
export const lockApiKeys = (
  tx: Executor,
  where: SQL | undefined,
  matches: SQL<boolean> = sql`true`,
) =>
  tx
    .select({
      ...changeColumns,
      ownerId: sql<string>`(select p.owner_id from projects p where p.id = api_keys.project_id)`,
      matches,
    })
    .from(apiKeys)
    .where(where)
    .orderBy(asc(apiKeys.id))
    .for('no key update');

/** Locks a key for a change. */
export async function lockApiKey(tx: Executor, ref: ApiKeyRef) {
  const [row] = await lockApiKeys(tx, isApiKey(ref));
  return row;
}

export type LockedKey = Awaited<ReturnType<typeof lockApiKeys>>[number];

/** A key as its change finds it. */
export type ChangedKey = Omit<LockedKey, 'ownerId' | 'matches'>;
