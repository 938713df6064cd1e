import type { Database } from '../database.ts';

/** Locks the keys in the order of their ids, so that two Runtimes cannot deadlock. */
const STATEMENT = `
  with unused as (
    select id from api_keys where id = any(($1::text)::uuid[]) and last_used_at is null
    order by id for no key update
  )
  update api_keys set last_used_at = now() from unused where api_keys.id = unused.id`;

/**
 * Records the first use of keys, before the allows that use them are answered, so that no read
 * after such an answer shows null (consistency rule 19). Later uses ride on the usage flush.
 */
export async function recordFirstUses(db: Database, apiKeyIds: readonly string[]): Promise<void> {
  await db.sql.unsafe(STATEMENT, [`{${apiKeyIds.join(',')}}`], { prepare: true });
}
