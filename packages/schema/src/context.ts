import { sql } from 'drizzle-orm';
import type { Executor, Transactor } from './database.ts';

/** Who asks for a change; the audit log names them. */
export type Actor =
  | { kind: 'user'; userId: string; email: string }
  | { kind: 'project_secret' }
  | { kind: 'cli' }
  | { kind: 'system' };

/** What every verb is given: where to act, for whom, and whence the request came. */
export interface VerbContext {
  db: { readonly orm: Transactor };
  actor: Actor;
  /** The client's network address as far as it is known. */
  clientAddress: string | null;
  requestId: string | null;
}

/**
 * Runs a change and its audit row as one transaction.
 *
 * The level is named because the session's default may be another: under REPEATABLE READ a second
 * statement would not see what the lock waited for (consistency rule 7).
 */
export function inTransaction<T>(
  ctx: VerbContext,
  run: (tx: Transactor) => Promise<T>,
): Promise<T> {
  return ctx.db.orm.transaction(run, { isolationLevel: 'read committed' });
}

/** Any number, as long as every caller takes the same one. */
const ALL_OR_NOTHING_LOCK = 0x0ce1bc;

/**
 * Runs several verbs as one transaction: all of them happen or none. Calls of this take turns, so
 * two that touch the same rows in different orders cannot deadlock.
 *
 * @param run is given the context that its verbs have to use; each verb becomes a savepoint
 */
export function allOrNothing<T>(
  ctx: VerbContext,
  run: (ctx: VerbContext) => Promise<T>,
): Promise<T> {
  return inTransaction(ctx, async (tx) => {
    await takeTurns(tx, ALL_OR_NOTHING_LOCK);
    return run({ ...ctx, db: { orm: tx } });
  });
}

/** Waits until no other transaction holds the lock; it is held until this one ends. */
export async function takeTurns(tx: Executor, lock: number): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${lock})`);
}
