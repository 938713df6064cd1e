import type { Database, Executor } from './database.ts';

/** Who asks for a change; the audit log names them. */
export type Actor =
  | { kind: 'user'; userId: string; email: string }
  | { kind: 'project_secret' }
  | { kind: 'cli' }
  | { kind: 'system' };

/** What every verb is given: where to act, for whom, and whence the request came. */
export interface VerbContext {
  db: Database;
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
export function inTransaction<T>(ctx: VerbContext, run: (tx: Executor) => Promise<T>): Promise<T> {
  return ctx.db.orm.transaction(run, { isolationLevel: 'read committed' });
}
