import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { isConnectionLost } from './connection/classify-error.ts';
import type { Database } from './connection/database.ts';
import { isLockTimeout, postgresError } from './connection/errors.ts';
import { openDatabase } from './connection/open.ts';
import { pingDatabase } from './connection/ping.ts';
import { NoAnswerError, within } from './connection/within.ts';
import { LOCKS } from './locks.ts';
import { requireUtf8 } from './rehearsal.ts';

/** A migration cannot run, or lost its connection; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * How long an attempt waits for a table, in ms, because each lookup waits behind it: at first less than
 * a decision may take, at last longer than the second after which Postgres cancels an autovacuum.
 */
const LOCK_WAITS_MS = [200, 200, 400, 800, 2_000];
/** Between two attempts, for the decisions. */
const PAUSE_MS = 2_000;
/** How often to ask which processes an attempt waits for. */
const ASK_EVERY_MS = 300;
/** How often to ask whether the server still works on the migration. */
const CHECK_EVERY_MS = 5_000;
/** One such question, over a connection of its own. */
const CHECK_BUDGET_MS = 10_000;

/**
 * Applies the migrations that the database lacks, as one transaction: either all of them are there
 * afterwards, or none. Concurrent runs are serialised by a lock of that transaction. When the
 * connection is lost or falls silent, the server ends the transaction within 10 s, and with it the
 * lock. A table that is in use holds up neither decisions nor the run for long: it is tried again a few
 * times.
 *
 * Everything is created in one schema: the one that holds the installation's tables, or for a new
 * installation the first of the search path (ADR 0046). The files call it `"public"`, as drizzle-kit
 * writes it.
 *
 * @param migrationsFolder the folder that holds the SQL files, `meta/_journal.json` and `replaced.json`
 * @returns how many this call applied
 * @throws MigrationError when the connection is lost, a table stays in use, no schema fits, or the
 *   database is another application's or older than the first of the migrations;
 *   UnsuitableDatabaseError for a database whose encoding is not UTF8
 */
export async function migrateDatabase(
  url: string,
  migrationsFolder: string,
): Promise<{ applied: number }> {
  const db = await openDatabase(url, { maxConnections: 2, applicationName: 'ceiba-migrate' });
  try {
    await pingDatabase(db);
    await requireUtf8(db);
    let blockers: readonly number[] = [];
    for (const waitMs of LOCK_WAITS_MS) {
      const run: Run = { waitMs, blockers };
      const result = await attempt(db, { url, migrationsFolder, run });
      if (result !== 'in use') return result;
      ({ blockers } = run);
      await delay(PAUSE_MS);
    }
    throw inUse(blockers);
  } catch (error) {
    throw isInterruption(error) ? lost(error) : error;
  } finally {
    await db.close();
  }
}

interface Run {
  waitMs: number;
  /** The server process of the transaction; behind a pooler, only the transaction knows it. */
  pid?: number;
  /** The server processes that it last waited for. */
  blockers: readonly number[];
}

async function attempt(
  db: Database,
  { url, migrationsFolder, run }: { url: string; migrationsFolder: string; run: Run },
): Promise<{ applied: number } | 'in use'> {
  const isOver = new AbortController();
  const migration = db.sql.begin('isolation level read committed', (tx) =>
    applyAll(tx, migrationsFolder, run),
  );
  migration.catch(() => {}); // when the watch rejects first
  noteBlockers(db, run, isOver.signal).catch(() => {}); // over, or an outage that the others notice
  try {
    return await Promise.race([migration, watch(url, run, isOver.signal)]);
  } catch (error) {
    if (isLockTimeout(error)) return 'in use';
    throw error;
  } finally {
    isOver.abort();
  }
}

async function noteBlockers(db: Database, run: Run, signal: AbortSignal): Promise<never> {
  for (;;) {
    await delay(ASK_EVERY_MS, undefined, { signal });
    const rows = await db.sql<{ pid: number }[]>`
      select unnest(pg_blocking_pids(${run.pid ?? 0})) as pid`;
    if (rows.length > 0) run.blockers = rows.map(({ pid }) => pid);
  }
}

const inUse = (blockers: readonly number[]) =>
  new MigrationError(
    'A table that has to change is in use by another transaction, such as a backup: process ' +
      `${blockers.join(', ') || 'unknown'} of Postgres (see pg_stat_activity). Nothing was changed. Let it finish ` +
      'first, then run ceiba migrate again.',
  );

/** FATAL: the server ended the connection. */
const isInterruption = (error: unknown) =>
  error instanceof NoAnswerError ||
  isConnectionLost(error) ||
  postgresError(error)?.severity === 'FATAL';

const lost = (cause: unknown) =>
  new MigrationError(
    'The connection to Postgres was lost during the migration. Migrations apply as a whole or not ' +
      'at all: run ceiba migrate again.',
    { cause },
  );

async function applyAll(
  sql: postgres.TransactionSql,
  migrationsFolder: string,
  run: Run,
): Promise<{ applied: number }> {
  const [server] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  if (server !== undefined) run.pid = server.pid;
  await endWhenAbandoned(sql);
  await sql`select pg_advisory_xact_lock(${LOCKS.migration})`;
  await sql.unsafe(`set local lock_timeout = ${run.waitMs}`);
  const applied = await appliedMigrationTimes({ sql });
  const isNew = applied.length === 0;
  const replaced = replacedMigrations(migrationsFolder);
  if (!isNew) requireReplaced(replaced, applied);
  const missing = readMigrationFiles({ migrationsFolder }).filter(
    ({ folderMillis }) => !applied.includes(folderMillis),
  );
  const schema = await enterSchema(sql, isNew);
  await sql`create schema if not exists drizzle`;
  await sql`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`;
  for (const { sql: statements, hash, folderMillis } of missing) {
    for (const statement of statements) {
      await sql.unsafe(statement.replaceAll('"public".', () => `${schema}.`));
    }
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${hash}, ${folderMillis})`;
  }
  // A build that knows them is ready on this database.
  if (isNew) {
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      select 'replaced', unnest(${`{${replaced.times}}`}::bigint[])`;
  }
  return { applied: missing.length };
}

/** The migrations that the first one of the folder replaces. */
interface Replaced {
  /** The last commit that has them. */
  commit: string;
  /** In the journal, in ms since 1970. */
  times: readonly number[];
}

const replacedMigrations = (folder: string): Replaced =>
  JSON.parse(readFileSync(join(folder, 'replaced.json'), 'utf8'));

function requireReplaced({ commit, times }: Replaced, applied: readonly number[]): void {
  const isApplied = (time: number) => applied.includes(time);
  if (times.every(isApplied)) return;
  if (!times.some(isApplied)) {
    throw new MigrationError(
      'The table drizzle.__drizzle_migrations of this database belongs to another application. Ceiba needs a database of its own: create one, and set DATABASE_URL to it.',
    );
  }
  throw new MigrationError(
    `The database is older than the migrations of this build. Run ceiba migrate of commit ${commit} first, then this one again.`,
  );
}

/**
 * Makes the server end the transaction when its client is silent between two statements, or gone
 * during one: a statement that waits for a table would block everybody behind it.
 */
async function endWhenAbandoned(sql: postgres.TransactionSql): Promise<void> {
  await sql.unsafe(`set local idle_in_transaction_session_timeout = ${CHECK_EVERY_MS}`);
  // Servers on Windows refuse this one.
  await sql
    .savepoint((tx) => tx.unsafe(`set local client_connection_check_interval = ${CHECK_EVERY_MS}`))
    .catch(() => {});
}

/**
 * Puts the schema of the installation first on the search path, until the transaction ends.
 *
 * @returns its quoted name
 */
async function enterSchema(sql: postgres.TransactionSql, isNew: boolean): Promise<string> {
  const [row] = await sql<{ schema: string | null }[]>`
    select quote_ident(coalesce(
      (select n.nspname from pg_attribute a
        join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
        where c.relname = 'projects' and a.attname = 'policy_revision'
          and n.nspname = any(current_schemas(false))
        order by array_position(current_schemas(false), n.nspname) limit 1),
      case when ${isNew} then current_schema() end)) as schema`;
  const schema = row?.schema;
  if (schema == null) {
    throw new MigrationError(
      isNew
        ? 'The search path of this role names no schema that exists: create the schema, or set search_path to public.'
        : 'The search path of this role does not name the schema that holds the tables of Ceiba: set search_path to it.',
    );
  }
  // Other schemas stay visible, because extensions may be in one.
  await sql`select set_config('search_path',
    concat_ws(', ', ${schema}::text, nullif(current_setting('search_path'), ''), 'pg_temp'), true)`;
  return schema;
}

/** How long an answer takes after the server has given up the lock, in ms. */
const ANSWER_MS = 2_000;

/**
 * Rejects once the server no longer works on the migration, or does not say so: an answer that a
 * network has lost would otherwise be awaited for ever.
 */
async function watch(url: string, run: Run, signal: AbortSignal): Promise<never> {
  const late = () => new NoAnswerError(`no answer within ${CHECK_BUDGET_MS / 1000} s`);
  for (;;) {
    await delay(CHECK_EVERY_MS, undefined, { signal });
    if (run.pid === undefined) throw late();
    const check = holdsLock(url, run.pid).catch(unlessRefused);
    if (await within(CHECK_BUDGET_MS, check, late)) continue;
    // It may have just ended, and its answer be on the way.
    await delay(ANSWER_MS, undefined, { signal });
    throw late();
  }
}

/** Whether a server process has, or waits for, the lock that each migration takes. */
async function holdsLock(url: string, pid: number): Promise<boolean> {
  const db = await openDatabase(url, { maxConnections: 1, applicationName: 'ceiba-migrate' });
  try {
    const locks = await db.sql`
      select from pg_locks where locktype = 'advisory' and pid = ${pid}
        and classid = 0 and objid = ${LOCKS.migration}`;
    return locks.length > 0;
  } finally {
    await db.close();
  }
}

/** A server that refuses the question, for example because it has no free connection, does work. */
function unlessRefused(error: unknown): true {
  if (postgresError(error) === null) throw error;
  return true;
}

/** The journal's time of each migration that the database has, oldest first. */
export async function appliedMigrationTimes(
  db: Pick<Database, 'sql'> | { sql: postgres.TransactionSql },
): Promise<number[]> {
  const [table] = await db.sql`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (table?.name === null) return [];
  const rows = await db.sql<{ created_at: string }[]>`
    select created_at from drizzle.__drizzle_migrations order by created_at`;
  return rows.map((row) => Number(row.created_at));
}
