import { and, eq, inArray } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { apiKeys } from '../tables.ts';

export interface ApiKeyName {
  displayName: string;
  keyPrefix: string;
}

/** Reads the names of some keys of a project, by id. Keys of other projects are left out. */
export async function readKeyNames(
  db: { orm: Executor },
  { projectId, apiKeyIds }: { projectId: string; apiKeyIds: readonly string[] },
): Promise<Map<string, ApiKeyName>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = await db.orm
    .select({
      apiKeyId: apiKeys.id,
      displayName: apiKeys.displayName,
      keyPrefix: apiKeys.keyPrefix,
    })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.id, [...apiKeyIds])));
  return new Map(rows.map(({ apiKeyId, ...name }) => [apiKeyId, name]));
}
