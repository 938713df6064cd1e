import { arrayOf } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

/** Skips locked rows, and locks in the order of the ids, so that two Runtimes cannot deadlock. */
const WRITE_FREE = `
  with unused as (
    select id from api_keys where id = any(($1::text)::uuid[]) and last_used_at is null
    order by id for no key update skip locked
  ), written as (
    update api_keys set last_used_at = now() from unused where api_keys.id = unused.id
    returning api_keys.id
  ), locked as (
    select id from api_keys where id = any(($1::text)::uuid[]) and last_used_at is null
      and id not in (select id from written)
  )
  select ${SERVER_EVIDENCE}, locked.id from (select) one_row left join locked on true`;

/**
 * Records the first use of keys, before the decisions that allow it are answered, so that no read
 * after such an answer shows null (rule first-use). Later uses are part of the usage flush.
 *
 * @returns the keys that another transaction has locked; {@link recordFirstUse} waits for the lock
 * @throws NotPrimaryError when the server is in recovery
 */
export async function recordFirstUses(
  db: Database,
  apiKeyIds: readonly string[],
): Promise<string[]> {
  const rows = await db.sql.unsafe<(ServerEvidence & { id: string | null })[]>(
    WRITE_FREE,
    [arrayOf(apiKeyIds)],
    { prepare: true },
  );
  requirePrimary(db, rows[0]);
  return rows.flatMap(({ id }) => (id === null ? [] : [id]));
}

const WRITE_ONE = `
  with written as (
    update api_keys set last_used_at = now() where id = ($1::text)::uuid and last_used_at is null
  )
  select ${SERVER_EVIDENCE}`;

/** Records the first use of one key, waiting for its lock. */
export async function recordFirstUse(db: Database, apiKeyId: string): Promise<void> {
  const [row] = await db.sql.unsafe<ServerEvidence[]>(WRITE_ONE, [apiKeyId], { prepare: true });
  requirePrimary(db, row);
}
