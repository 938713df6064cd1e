import { eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { apiKeys, projects } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';
import { isExpired, summaryColumns } from './summary.ts';

/** What the changes of a key and their audit rows need. */
export const changeColumns = {
  ...summaryColumns,
  isExpired,
  note: apiKeys.note,
  disabledAt: apiKeys.disabledAt,
};

/** Locks a key for a change. */
export async function lockApiKey(tx: Executor, ref: ApiKeyRef) {
  const [row] = await tx
    .select({ ...changeColumns, ownerId: projects.ownerId })
    .from(apiKeys)
    .innerJoin(projects, eq(projects.id, apiKeys.projectId))
    .where(isApiKey(ref))
    .for('no key update', { of: apiKeys });
  return row;
}

/** A key as its change finds it. */
export type ChangedKey = Omit<NonNullable<Awaited<ReturnType<typeof lockApiKey>>>, 'ownerId'>;
