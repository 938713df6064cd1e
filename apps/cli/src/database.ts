import { Refusal } from '@ceiba/manage';
import {
  appliedMigrationTimes,
  classifyError,
  type Database,
  InvalidInputError,
  MigrationError,
  NotPrimaryError,
  openDatabase,
  outageCode,
  pingDatabase,
  postgresError,
  UnconfirmedCommitError,
  type VerbContext,
  withPatience,
} from '@ceiba/schema';
import { type Address, readServer, readSettings } from './env.ts';
import { badInput, CliError, failure, MAYBE_CHANGED, UnconfirmedError } from './errors.ts';
import { missingMigrations } from './migrations.ts';
import type { World } from './world.ts';

/** Long enough to wait for a concurrent run, short enough not to hang for ever. */
const STATEMENT_TIMEOUT_MS = 30_000;

const UNCONFIRMED =
  'Postgres made the change, but its standby did not confirm it in time: a failover may undo it. ' +
  'Check the standby; once it is back, check that the change is still there.';

/** For commands that no console runs. @throws CliError where one is named */
export function requireNoServer(world: World): void {
  const { server } = readServer(world.env, world.server);
  if (server === undefined) return;
  throw badInput(
    `This command works on the database itself, so no console can run it. Leave out ${server.source}, ` +
      'and run it where the database is reached (DATABASE_URL).',
    { field: server.source },
  );
}

/** The database's address. @throws CliError that says how to set it */
export function databaseAddress(world: World): Address {
  requireNoServer(world);
  const { database } = readSettings(world.env, world.cwd);
  if (database !== undefined) return database;
  throw badInput(
    'No database is set. Set DATABASE_URL to a Postgres URL, or start the local stack with: npm start',
    { field: 'DATABASE_URL' },
  );
}

/**
 * Runs verbs with the CLI as the actor, against a database that has every migration.
 *
 * @throws CliError that says what to do when the database is unreachable or lacks migrations
 */
export function withDatabase<T>(
  world: World,
  run: (ctx: VerbContext, db: Database) => Promise<T>,
): Promise<T> {
  return withExplainedErrors(databaseAddress(world), async ({ url }) => {
    const db = await openDatabase(url, {
      maxConnections: 2,
      applicationName: 'ceiba-cli',
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    try {
      await pingDatabase(db);
      await withPatience(refuseUnlessMigrated(db));
      return await run({ db, actor: { kind: 'cli' }, clientAddress: null, requestId: null }, db);
    } finally {
      await db.close();
    }
  });
}

/** Runs verbs that change something, as {@link withDatabase}. @throws UnconfirmedError too */
export const changingDatabase = <T>(
  world: World,
  change: (ctx: VerbContext, db: Database) => Promise<T>,
): Promise<T> => withDatabase(world, (ctx, db) => asChange(change(ctx, db)));

/** An outage while a change was under way; its cause is that of the outage. */
class ChangeFault extends Error {
  override readonly name = 'ChangeFault';
}

/** Marks the error of a change that may have been made: Postgres has not refused it. */
export const asChange = <T>(change: Promise<T>): Promise<T> =>
  change.catch((cause: unknown) => {
    const isOutage = classifyError(cause) === 'connection';
    const isRefused = postgresError(cause)?.severity === 'ERROR';
    const isOpen = cause instanceof UnconfirmedCommitError || (isOutage && !isRefused);
    throw isOpen ? new ChangeFault('a change was not confirmed', { cause }) : cause;
  });

async function refuseUnlessMigrated(db: Database): Promise<void> {
  const applied = await appliedMigrationTimes(db);
  const missing = missingMigrations(applied);
  if (missing.length === 0) return;
  const state =
    applied.length === 0
      ? 'The database has no Ceiba tables yet.'
      : `The database lacks ${missing.map(({ tag }) => tag).join(', ')}.`;
  throw failure(`${state} Run: ceiba migrate`);
}

/** Passes the address to `run`. @throws CliError that explains the error of `run`, and whether it may have changed something */
export async function withExplainedErrors<T>(
  address: Address,
  run: (address: Address) => Promise<T>,
): Promise<T> {
  try {
    return await run(address);
  } catch (error) {
    if ([CliError, InvalidInputError, Refusal].some((kind) => error instanceof kind)) throw error;
    if (!(error instanceof ChangeFault)) throw failure(explainDatabaseError(error, address));
    const { cause } = error;
    const explained = explainDatabaseError(cause, address);
    const isMade = cause instanceof UnconfirmedCommitError;
    throw new UnconfirmedError(isMade ? explained : `${explained} ${MAYBE_CHANGED}`);
  }
}

/** Says what an error means and what to do; never the statement, its parameters or a password. */
export function explainDatabaseError(error: unknown, { url, source }: Address): string {
  if (error instanceof UnconfirmedCommitError) return UNCONFIRMED;
  if (error instanceof MigrationError) return error.message;
  const answer = postgresError(error);
  if (answer !== null) {
    const meaning =
      answer.code === PERMISSION_DENIED
        ? deniedRight(answer.message)
        : (MEANING[answer.code] ?? `answers with an error: ${answer.message}`);
    return `Postgres at ${hostOf(url)} ${meaning} (${answer.code}; address from ${source}).`;
  }
  if (error instanceof NotPrimaryError) {
    return `Postgres at ${hostOf(url)} is a standby; give the address of the primary (address from ${source}).`;
  }
  if (classifyError(error) === 'connection') {
    return `Postgres at ${hostOf(url)} cannot be reached (${outageCode(error)}; address from ${source}). ${
      source === 'DATABASE_URL'
        ? 'Check the address, and that the server runs and accepts connections.'
        : 'Is npm start still running?'
    }`;
  }
  return innermostMessage(error);
}

/** Outer errors may quote a statement with its parameters. */
function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermostMessage(error.cause);
}

const PERMISSION_DENIED = '42501';

/** Which right a user lacks. A statement on a whole database or schema can only be a migration's. */
function deniedRight(message: string): string {
  const [, kind, name] = /^permission denied for (database|schema) (.+)$/.exec(message) ?? [];
  if (kind === undefined) return `denies this user a right that it needs: ${message}`;
  const rights = kind === 'schema' ? 'usage, create' : 'create';
  return `denies this user a right on the ${kind} "${name}"; migrating needs: grant ${rights} on ${kind} "${name}" to the user`;
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const MEANING: Readonly<Record<string, string>> = {
  '28P01': 'refuses this user and password',
  '28000': 'refuses this user',
  '3D000': 'has no database of this name; create it first (createdb)',
  '25006': 'is read-only, perhaps a standby; give the address of the primary',
  '53300': 'has no free connection',
  '57014': 'took too long, so the statement was cancelled and nothing was changed',
  '57P03': 'is starting up or shutting down; try again in a moment',
  '40P01': 'cancelled this run because of a deadlock with another one; run it again',
};

/** The host and port only, because the address can contain a password. */
export function hostOf(url: string): string {
  // Anything that could be a part of an unescaped password is not shown: an @ ends the credentials
  // only if nothing before it could end the host.
  const shown = /^[a-z+]+:\/\/(?:[^@/?#]*@)?([^@/?#]+)(?:[/?#][^@]*)?$/.exec(url)?.[1];
  return shown ?? '(an address whose credentials need percent-encoding)';
}
