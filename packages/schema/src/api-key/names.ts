import { and, desc, eq, inArray, or, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { startsWith } from '../page.ts';
import { apiKeys } from '../tables.ts';
import { beginningsOf, brandOf } from './words.ts';

export interface ApiKeyName {
  displayName: string;
  keyPrefix: string;
}

const columns = {
  apiKeyId: apiKeys.id,
  displayName: apiKeys.displayName,
  keyPrefix: apiKeys.keyPrefix,
};

/** Reads the names of some keys of a project, by id. Keys of other projects are left out. */
export async function readKeyNames(
  db: { orm: Executor },
  { projectId, apiKeyIds }: { projectId: string; apiKeyIds: readonly string[] },
): Promise<Map<string, ApiKeyName>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = await db.orm
    .select(columns)
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), inArray(apiKeys.id, [...apiKeyIds])));
  return new Map(rows.map(({ apiKeyId, ...name }) => [apiKeyId, name]));
}

/**
 * The key of a project whose secret begins so, the newest of several; or whose replaced secret does, while
 * it is valid: later calls with it have an unknown key.
 */
export async function findKeyByPrefix(
  db: { orm: Executor },
  { projectId, prefix }: { projectId: string; prefix: string },
): Promise<({ apiKeyId: string } & ApiKeyName) | null> {
  const { keyPrefix, previousPrefix, previousExpiresAt, createdAt, id } = apiKeys;
  const isCurrent = sql`${keyPrefix} collate "C" = ${prefix}`;
  const isPrevious = sql`(${previousPrefix} collate "C" = ${prefix} and ${previousExpiresAt} > now())`;
  const [row] = await db.orm
    .select(columns)
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), or(isCurrent, isPrevious)))
    .orderBy(sql`${isCurrent} desc`, desc(createdAt), desc(id))
    .limit(1);
  return row ?? null;
}

/**
 * The keys of a project whose secret begins with a part of a prefix, with or without what the
 * keys of the project begin with, or whose replaced secret does while it is valid; at most `limit`, newest first.
 */
export async function findKeysByPrefix(
  db: { orm: Executor },
  { projectId, part, limit }: { projectId: string; part: string; limit: number },
): Promise<({ apiKeyId: string } & ApiKeyName)[]> {
  const { keyPrefix, previousPrefix, previousExpiresAt, createdAt, id } = apiKeys;
  const begins = beginningsOf(part, brandOf(projectId)).flatMap((prefix) => [
    startsWith(keyPrefix, prefix),
    sql`(${startsWith(previousPrefix, prefix)} and ${previousExpiresAt} > now())`,
  ]);
  return db.orm
    .select(columns)
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), or(...begins)))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
}
