import { lt, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { runtimeLeases } from '../tables.ts';

/** Deletes leases that were not renewed for an hour. */
export async function removeDeadLeases(db: { orm: Executor }): Promise<{ isComplete: true }> {
  await db.orm
    .delete(runtimeLeases)
    .where(lt(runtimeLeases.renewedAt, sql`now() - interval '1 hour'`));
  return { isComplete: true };
}
