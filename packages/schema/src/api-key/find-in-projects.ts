import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { type FindInProjects, IS_NAMED_PROJECT, selectInProjects } from '../in-projects.ts';
import { hasIndexedText, searchText, startsWith, UUID_ID } from '../page.ts';
import { apiKeys } from '../tables.ts';
import type { ApiKeyName } from './names.ts';
import { type ApiKeyRow, customerDenial } from './row.ts';
import { isExpired } from './summary.ts';
import { beginningsOf, brandOf, NAMES } from './words.ts';

export interface FoundApiKey
  extends ApiKeyName,
    Pick<ApiKeyRow, 'status' | 'disabledAt' | 'isExpired' | 'customerDenial'> {
  projectId: string;
  apiKeyId: string;
  /** Of the secret that a rotation replaced, while it is valid. */
  previousPrefix: string | null;
}

/**
 * Keys of several projects: by ID; by the first characters of the secret, with or without what the keys of
 * the project begin with, or of the replaced secret while it is valid; then by a part of the name or note.
 */
export async function findApiKeysInProjects(
  db: { orm: Executor },
  input: FindInProjects,
): Promise<FoundApiKey[]> {
  const text = searchText(input.text);
  if (text === null) return [];
  const id = text.toLowerCase();
  const {
    keyPrefix,
    previousPrefix,
    previousExpiresAt,
    displayName,
    status,
    disabledAt,
    createdAt,
  } = apiKeys;
  const begins = beginningsOf(text, brandOf(sql`place.project_id`));
  const found = selectInProjects(input, {
    table: apiKeys,
    columns: {
      apiKeyId: apiKeys.id,
      displayName,
      keyPrefix,
      previousPrefix: sql`case when ${previousExpiresAt} > now() then ${previousPrefix} end`,
      status,
      disabledAt: sql`to_json(${disabledAt}) #>> '{}'`,
      isExpired,
      customerDenial,
    },
    id: apiKeys.id,
    at: createdAt,
    conditions: UUID_ID.test(id)
      ? [{ where: sql`${apiKeys.id} = ${id}` }]
      : [
          ...begins.map((prefix) => ({
            where: startsWith(keyPrefix, prefix),
            by: sql`${keyPrefix} collate "C"`,
          })),
          ...begins.map((prefix) => ({
            where: sql`${startsWith(previousPrefix, prefix)} and ${previousExpiresAt} > now()`,
            by: sql`${previousPrefix} collate "C"`,
          })),
          {
            where: sql`${IS_NAMED_PROJECT} and ${hasIndexedText(NAMES, text)}`,
            by: sql`${createdAt} desc, ${apiKeys.id} desc`,
          },
        ],
  });
  return [...(await db.orm.execute<FoundApiKey & Record<string, unknown>>(found))];
}
