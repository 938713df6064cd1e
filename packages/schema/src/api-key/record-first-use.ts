import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { apiKeys } from '../tables.ts';

/**
 * Records a key's first use, before the allow that uses it is answered, so that no read after that
 * answer shows null (consistency rule 19). Later uses ride on the usage flush.
 */
export async function recordFirstUse(db: Database, apiKeyId: string): Promise<void> {
  await db.orm
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKeys.id, apiKeyId), isNull(apiKeys.lastUsedAt)));
}
