import type { Database } from '../database.ts';

/** Waits for no lock, and locks in the order of the ids, so that two Runtimes cannot deadlock. */
const WRITE_FREE = `
  with unused as (
    select id from api_keys where id = any(($1::text)::uuid[]) and last_used_at is null
    order by id for no key update skip locked
  ), written as (
    update api_keys set last_used_at = now() from unused where api_keys.id = unused.id
    returning api_keys.id
  )
  select id from api_keys where id = any(($1::text)::uuid[]) and last_used_at is null
    and id not in (select id from written)`;

/**
 * Records the first use of keys, before the allows that use them are answered, so that no read
 * after such an answer shows null (consistency rule 19). Later uses ride on the usage flush.
 *
 * @returns the keys that are locked by another transaction: {@link recordFirstUse} waits for it
 */
export async function recordFirstUses(
  db: Database,
  apiKeyIds: readonly string[],
): Promise<string[]> {
  const parameters = [`{${apiKeyIds.join(',')}}`];
  const rows = await db.sql.unsafe<{ id: string }[]>(WRITE_FREE, parameters, { prepare: true });
  return rows.map((row) => row.id);
}

const WRITE_ONE = `
  update api_keys set last_used_at = now() where id = ($1::text)::uuid and last_used_at is null`;

/** Records the first use of one key, once whoever has locked it lets go. */
export async function recordFirstUse(db: Database, apiKeyId: string): Promise<void> {
  await db.sql.unsafe(WRITE_ONE, [apiKeyId], { prepare: true });
}
