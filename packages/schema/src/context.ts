import { isDeepStrictEqual } from 'node:util';
import type { Transactor } from './connection/database.ts';
import { takeLock } from './locks.ts';
import { type ProjectAccess, requireRight } from './member/require-right.ts';
import { type AdministratorAccess, requireAdministrator } from './user/require-administrator.ts';

/** Who asks for a change; the audit log names them. */
export type Actor =
  | { kind: 'user'; userId: string; email: string }
  | { kind: 'project_secret' }
  | { kind: 'cli' }
  | { kind: 'system' };

/** What every verb takes: the database, the actor and the origin of the request. */
export interface VerbContext {
  db: { readonly orm: Transactor };
  actor: Actor;
  /** The client's network address as far as it is known. */
  clientAddress: string | null;
  requestId: string | null;
  /** The right that the actor needs; every change checks it in its own transaction. */
  requires?: ProjectAccess | AdministratorAccess;
}

/**
 * Runs a change and its audit row as one transaction, which first checks the right that the context
 * requires.
 *
 * The isolation level is explicit because the session's default may differ: under REPEATABLE READ,
 * a statement after a lock would not see what the lock waited for (rule cap-under-lock).
 *
 * @throws RightRefusedError, AdministratorRefusedError when the actor does not have that right any more
 */
export function inTransaction<T>(
  ctx: VerbContext,
  run: (tx: Transactor) => Promise<T>,
): Promise<T> {
  return ctx.db.orm.transaction(
    async (tx) => {
      await requireAccess(tx, ctx.requires);
      return run(tx);
    },
    { isolationLevel: 'read committed' },
  );
}

async function requireAccess(tx: Transactor, requires: VerbContext['requires']): Promise<void> {
  if (requires === undefined) return;
  if ('administrator' in requires) await requireAdministrator(tx, requires);
  else await requireRight(tx, requires);
}

/**
 * Runs several verbs as one transaction: all of them take effect or none. Serialised, so that two
 * calls that change the same rows in different orders cannot deadlock.
 *
 * @param run receives the context that its verbs have to use; each verb becomes a savepoint
 */
export function allOrNothing<T>(
  ctx: VerbContext,
  run: (ctx: VerbContext) => Promise<T>,
): Promise<T> {
  return inTransaction(ctx, async (tx) => {
    await takeLock(tx, 'allOrNothing');
    return run({ ...ctx, db: { orm: tx } });
  });
}

/** Runs reads on one snapshot: all that they return was true at one time. */
export function inSnapshot<T>(
  db: { readonly orm: Transactor },
  run: (snapshot: { orm: Transactor }) => Promise<T>,
): Promise<T> {
  return db.orm.transaction((orm) => run({ orm }), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

/** Whether a change leaves every field of a row as it is. */
export const isUnchanged = <Row extends object>(before: Row, after: Row): boolean =>
  Object.entries(after).every(([field, value]) =>
    isDeepStrictEqual(before[field as keyof Row], value),
  );

/** Fields that a change may leave out. */
export type Given<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** What a change gives: its fields except those that are undefined, which keep their values. */
export const givenIn = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<{
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
  }>;
