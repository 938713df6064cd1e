import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';

/** One row per Runtime. Renewing it proves that the server can commit (rule primary-lease). */
export const runtimeLeases = pgTable('runtime_leases', {
  /** Random, one per process. */
  id: text('id').primaryKey(),
  renewedAt: instant('renewed_at').notNull().defaultNow(),
});
