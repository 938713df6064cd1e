import { sql } from 'drizzle-orm';
import { apiKeys } from '../tables.ts';

/** The expression of the index `api_keys_words_idx`. */
export const WORDS = sql`lower(${apiKeys.displayName} || ' ' || ${apiKeys.note})`;
