import { API_KEY_BRAND, publicPartOf } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { apiKeys } from '../tables.ts';

/** The expression of the index `api_keys_words_idx`. */
export const WORDS = sql`lower(${apiKeys.displayName} || ' ' || ${apiKeys.note})`;

/**
 * What the prefix of a key begins with, given its first characters with or without what the keys of the
 * project begin with.
 */
export function beginningsOf(text: string, projectId: string | SQL): (string | SQL)[] {
  const brand = sql`(select p.key_prefix from projects p where p.id = ${projectId})`;
  return [publicPartOf(text), publicPartOf(API_KEY_BRAND + text), sql`${brand} || ${text}`];
}
