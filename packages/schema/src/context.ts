import { isDeepStrictEqual } from 'node:util';
import { type ActingToken, requireToken, TokenRefusedError } from './access-token/require-token.ts';
import type { Transactor } from './connection/database.ts';
import { takeLock } from './locks.ts';
import { type ProjectAccess, requireRight } from './member/require-right.ts';
import { lockUserRow } from './user/lock.ts';
import { type AdministratorAccess, requireAdministrator } from './user/require-administrator.ts';

/** Who asks for a change; the audit log names them. */
export type Actor =
  | { kind: 'user'; userId: string; email: string; token?: ActingToken }
  | { kind: 'project_secret' }
  | { kind: 'cli' }
  | { kind: 'system' };

/** What every user may do: create a project of their own. */
export interface NewProjectAccess {
  ownerId: string;
}

/** What every verb takes: the database, the actor and the origin of the request. */
export interface VerbContext {
  db: { readonly orm: Transactor };
  actor: Actor;
  /** The client's network address as far as it is known. */
  clientAddress: string | null;
  requestId: string | null;
  /** The right that the actor needs; every change checks it in its own transaction. */
  requires?: ProjectAccess | AdministratorAccess | NewProjectAccess;
  /** Set by {@link dryRun}: nothing is kept, so an access token that only reads suffices. */
  isDryRun?: true;
}

/**
 * Runs a change and its audit row as one transaction, which first checks the right that the context
 * requires.
 *
 * The isolation level is explicit because the session's default may differ: under REPEATABLE READ,
 * a statement after a lock would not see what the lock waited for (rule cap-under-lock).
 *
 * @throws RightRefusedError, AdministratorRefusedError when the actor does not have that right any more
 * @throws TokenRefusedError when the access token with which they act does not permit the change
 */
export function inTransaction<T>(
  ctx: VerbContext,
  run: (tx: Transactor) => Promise<T>,
): Promise<T> {
  return ctx.db.orm.transaction(
    async (tx) => {
      await requireAccess(tx, ctx);
      return run(tx);
    },
    { isolationLevel: 'read committed' },
  );
}

async function requireAccess(tx: Transactor, ctx: VerbContext): Promise<void> {
  const { requires, actor } = ctx;
  if (requires === undefined) return refuseToken(ctx);
  if ('administrator' in requires) await requireAdministrator(tx, requires);
  else if ('projectId' in requires) await requireRight(tx, requires);
  // A deletion of the account takes this lock before it ends the user's tokens.
  else await lockUserRow(tx, requires.ownerId);
  if (actor.kind !== 'user' || actor.token === undefined) return;
  await requireToken(tx, {
    userId: actor.userId,
    tokenId: actor.token.tokenId,
    projectId: 'projectId' in requires ? requires.projectId : null,
    access: ctx.isDryRun ? 'read' : 'write',
  });
}

/**
 * Refuses an access token: a change that names no right is one of an account, for which the user has to
 * be at the keyboard.
 *
 * @throws TokenRefusedError
 */
export function refuseToken({ actor }: VerbContext): void {
  if (actor.kind === 'user' && actor.token !== undefined) {
    throw new TokenRefusedError('needs_session');
  }
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
  return ctx.db.orm.transaction(
    async (tx) => {
      // Before the rows that a right locks: a run that waits holds nothing that the other one needs.
      await takeLock(tx, 'allOrNothing');
      // Without a right, it makes no change of its own.
      if (ctx.requires !== undefined) await requireAccess(tx, ctx);
      return run({ ...ctx, db: { orm: tx } });
    },
    { isolationLevel: 'read committed' },
  );
}

/** As {@link allOrNothing}, and then takes everything back. @returns what `run` returned */
export async function dryRun<T>(
  ctx: VerbContext,
  run: (ctx: VerbContext) => Promise<T>,
): Promise<T> {
  const results: T[] = [];
  const takeBack = new Error('a dry run keeps nothing');
  await allOrNothing({ ...ctx, isDryRun: true }, async (tx) => {
    results.push(await run(tx));
    throw takeBack;
  }).catch((error: unknown) => {
    if (error !== takeBack) throw error;
  });
  const [result] = results;
  return result as T;
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
