import { API_KEY_BRAND, publicPartOf } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import { apiKeys } from '../tables.ts';

/** The columns of the index `api_keys_words_idx`. */
export const NAMES = [apiKeys.displayName, apiKeys.note];

/** What the keys of a project begin with. */
export const brandOf = (projectId: string | SQL): SQL =>
  sql`(select p.key_prefix from projects p where p.id = ${projectId})`;

/**
 * What the prefix of a key begins with, given its first characters with or without what the keys of the
 * project begin with.
 */
export const beginningsOf = (text: string, brand: string | SQL): (string | SQL)[] => [
  publicPartOf(text),
  publicPartOf(API_KEY_BRAND + text),
  typeof brand === 'string' ? brand + text : sql`${brand} || ${text}`,
];
