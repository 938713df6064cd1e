import { sql } from 'drizzle-orm';
import type { Executor, Transactor } from '../database.ts';

/** Held by the one Runtime that adds up or removes at a time. */
const UPKEEP_LOCK = 0x0ce1be;
/** A day of ten thousand busy keys takes seconds; nobody waits for it. */
const STATEMENT_TIMEOUT_MS = 20_000;

/** Runs a step of upkeep as one transaction; null where somebody else is at it. */
export function asUpkeep<T>(
  db: { orm: Transactor },
  step: (tx: Executor) => Promise<T>,
): Promise<T | null> {
  return db.orm.transaction(
    async (tx) => {
      const [lock] = await tx.execute<{ isOurs: boolean }>(
        sql`select pg_try_advisory_xact_lock(${UPKEEP_LOCK}) as "isOurs"`,
      );
      if (lock?.isOurs !== true) return null;
      await tx.execute(sql.raw(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`));
      return step(tx);
    },
    { isolationLevel: 'read committed' },
  );
}
