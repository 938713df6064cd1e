import { type SQL, sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../connection/database.ts';
import { tryLock } from '../locks.ts';

/** A day of ten thousand busy keys takes seconds, and no request waits for it. */
const STATEMENT_TIMEOUT_MS = 20_000;

/** Runs a step of upkeep as one transaction; null while another Runtime does the upkeep. */
export function asUpkeep<T>(
  db: { orm: Transactor },
  step: (tx: Executor) => Promise<T>,
): Promise<T | null> {
  return db.orm.transaction(
    async (tx) => {
      if (!(await tryLock(tx, 'upkeep'))) return null;
      await tx.execute(sql.raw(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`));
      return step(tx);
    },
    { isolationLevel: 'read committed' },
  );
}

/** A statement of so many is short, although a row may take others with it. */
const ROWS_MAX = 5_000;

/**
 * Removes up to 5,000 rows that are older. The condition is there twice, because a row may become newer
 * between the two.
 *
 * @returns whether none is left
 */
export async function removeOlder(
  tx: Executor,
  { table, column, hours }: { table: SQL; column: SQL; hours: number },
): Promise<boolean> {
  const isOlder = sql`${column} < now() - make_interval(hours => ${hours})`;
  const { count } = await tx.execute(sql`
    delete from ${table} where ${isOlder} and ctid = any(array(
      select ctid from ${table} where ${isOlder} limit ${ROWS_MAX}))`);
  return count < ROWS_MAX;
}
