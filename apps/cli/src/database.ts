import {
  appliedMigrationTimes,
  type Database,
  NotPrimaryError,
  openDatabase,
  pingDatabase,
  postgresFault,
  type VerbContext,
} from '@ceiba/schema';
import { type Address, readSettings } from './env.ts';
import { badInput, CliError, failure } from './errors.ts';
import { missingMigrations } from './migrations.ts';
import { withPatience } from './patience.ts';
import type { World } from './world.ts';

/** Long enough to wait for another run's turn, short enough not to hang for ever. */
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * Where Postgres says that a commit no longer waits for its synchronous standby: it succeeds, with a
 * warning, and is lost if that standby is promoted.
 *
 * @see https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION-HA
 */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';
const UNCONFIRMED =
  'Postgres made the change, but its standby did not confirm it in time: a failover may undo it. ' +
  'Check the standby, and once it is back, that the change is still there.';

/** The database's address. @throws CliError that says how to give one */
export function databaseAddress(world: World): Address {
  const { database } = readSettings(world.env, world.cwd);
  if (database !== undefined) return database;
  throw badInput(
    'No database is known. Set DATABASE_URL to a Postgres URL, or start the local stack with: npm start',
  );
}

/**
 * Runs verbs as the CLI against a database that has every migration.
 *
 * @throws CliError that says what to do when the database is away or lacks migrations
 */
export function withDatabase<T>(
  world: World,
  run: (ctx: VerbContext, db: Database) => Promise<T>,
): Promise<T> {
  return withExplainedFaults(databaseAddress(world), async ({ url }) => {
    let isUnconfirmed = false;
    const db = await openDatabase(url, {
      maxConnections: 2,
      applicationName: 'ceiba-cli',
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      onNotice: ({ routine }) => {
        isUnconfirmed ||= routine === WAIT_FOR_STANDBY;
      },
    });
    try {
      await pingDatabase(db);
      await withPatience(refuseUnlessMigrated(db));
      const result = await run(
        { db, actor: { kind: 'cli' }, clientAddress: null, requestId: null },
        db,
      );
      if (isUnconfirmed) throw failure(UNCONFIRMED);
      return result;
    } finally {
      await db.close();
    }
  });
}

async function refuseUnlessMigrated(db: Database): Promise<void> {
  const applied = await appliedMigrationTimes(db);
  const missing = missingMigrations(applied);
  if (missing.length === 0) return;
  const state =
    applied.length === 0
      ? 'The database has no Ceiba tables yet.'
      : `The database lacks ${missing.map(({ tag }) => tag).join(', ')}.`;
  throw failure(`${state} Run: npx ceiba migrate`);
}

/** Runs something against an address and turns its faults into words for a person. */
export async function withExplainedFaults<T>(
  address: Address,
  run: (address: Address) => Promise<T>,
): Promise<T> {
  try {
    return await run(address);
  } catch (fault) {
    if (fault instanceof CliError) throw fault;
    throw failure(explainDatabaseFault(fault, address));
  }
}

/** What a fault means and what to do; never the statement, its parameters or a password. */
export function explainDatabaseFault(fault: unknown, { url, source }: Address): string {
  const answered = postgresFault(fault);
  if (answered !== null) {
    const meaning = MEANING[answered.code] ?? `answers with an error: ${answered.message}`;
    return `Postgres at ${hostOf(url)} ${meaning} (${answered.code}; address from ${source}).`;
  }
  if (fault instanceof NotPrimaryError) {
    return `Postgres at ${hostOf(url)} is a standby; give the address of the primary (address from ${source}).`;
  }
  const code = networkCode(fault);
  if (code !== undefined) {
    return `Postgres at ${hostOf(url)} cannot be reached (${code}; address from ${source}). ${
      source === 'DATABASE_URL'
        ? 'Check the address, and that the server runs and accepts connections.'
        : 'Is npm start still running?'
    }`;
  }
  return innermostMessage(fault);
}

/** Outer faults may quote a statement with its parameters. */
function innermostMessage(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause === undefined ? fault.message : innermostMessage(fault.cause);
}

/** @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const MEANING: Readonly<Record<string, string>> = {
  '28P01': 'refuses this user and password',
  '28000': 'refuses this user',
  '3D000': 'has no database of this name; create it first (createdb)',
  '42501': 'does not give this user the rights it needs',
  '25006': 'is read-only: a standby, perhaps; give the address of the primary',
  '53300': 'has no connection left',
  '57014': 'took too long, so the statement was cancelled; nothing was changed',
  '57P03': 'is starting up or shutting down; try again in a moment',
  '40P01': 'cancelled this run because another one held what it needed; run it again',
};

function networkCode(fault: unknown): string | undefined {
  for (let cause = fault; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return undefined;
}

/** Host and port alone: an address can hold a password. */
export function hostOf(url: string): string {
  // By the last @ of the whole: a password may hold what would end the authority.
  const afterCredentials = url.replace(/^[a-z+]+:\/\//, '').replace(/^.*@/s, '');
  return afterCredentials.split(/[/?]/)[0] ?? '';
}
