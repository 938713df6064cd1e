import { eachLimit } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { apiKeys, projects } from '../tables.ts';
import { type ApiKeyRef, isApiKey } from './get.ts';

/** Locks a key for a change, and reads what the changes and their audit rows need. */
export async function lockApiKey(tx: Executor, ref: ApiKeyRef) {
  const [row] = await tx
    .select({
      displayName: apiKeys.displayName,
      note: apiKeys.note,
      status: apiKeys.status,
      disabledAt: apiKeys.disabledAt,
      ...eachLimit((limit) => apiKeys[limit]),
      ownerId: projects.ownerId,
    })
    .from(apiKeys)
    .innerJoin(projects, eq(projects.id, apiKeys.projectId))
    .where(isApiKey(ref))
    .for('no key update', { of: apiKeys });
  return row;
}
