import { sql } from 'drizzle-orm';
import { customers } from '../tables.ts';

/** The expression of the index `customers_words_idx`. */
export const WORDS = sql`lower((${customers.externalId} || ' ' || ${customers.name}) collate "default")`;
