import {
  appliedMigrationTimes,
  type Database,
  type DatabaseReport,
  inspectDatabase,
  openDatabase,
  rehearseChange,
  rehearseDecision,
  sharesServerProcesses,
  whatToChange,
  withPatience,
} from '@ceiba/schema';
import { explainDatabaseError } from '../database.ts';
import type { Address } from '../env.ts';
import { missingMigrations, newestMigration } from '../migrations.ts';
import { type Check, error, ok, warning } from './check.ts';

const OLDEST_VERSION_NUMBER = 150_000;

/** Checks Postgres: reachability, version, role, durability, pooler, migrations, and what runs. */
export async function checkDatabase(address: Address): Promise<Check[]> {
  const opened: Database[] = [];
  const open = async () => {
    const db = await openDatabase(address.url, {
      maxConnections: 1,
      applicationName: 'ceiba-doctor',
    });
    opened.push(db);
    return db;
  };
  try {
    const db = await open();
    const other = await open();
    return await withPatience(checksOf(db, other));
  } catch (cause) {
    const detail = explainDatabaseError(cause, address);
    return [error('postgres', detail, 'Fix the connection; then Postgres can be checked.')];
  } finally {
    await Promise.all(opened.map((db) => db.close()));
  }
}

async function checksOf(db: Database, other: Database): Promise<Check[]> {
  const report = await inspectDatabase(db);
  const applied = await appliedMigrationTimes(db);
  return [
    checkVersion(report),
    checkRole(report),
    checkFsync(report),
    checkSynchronousCommit(report),
    checkPooler(report, report.isPooled && (await sharesServerProcesses(db, other))),
    checkLease(report),
    checkMigrations(applied),
    ...(report.inRecovery || missingMigrations(applied).length > 0 ? [] : await checkWork(db)),
  ];
}

/** Runs what a decision and a change run; the change writes one small row. */
async function checkWork(db: Database): Promise<Check[]> {
  const attempt = async (name: string, works: string, work: Promise<void>): Promise<Check> => {
    try {
      await work;
      return ok(name, works);
    } catch (cause) {
      const change = whatToChange(cause);
      if (change === null) throw cause;
      return error(name, change, 'Change that; then run this again.');
    }
  };
  return [
    await attempt('postgres decisions', 'every statement of one works', rehearseDecision(db)),
    await attempt('postgres changes', 'can be made', rehearseChange(db, 'doctor')),
  ];
}

const checkVersion = ({ versionNumber, version }: DatabaseReport) =>
  versionNumber >= OLDEST_VERSION_NUMBER
    ? ok('postgres version', version)
    : error('postgres version', version, 'Upgrade to PostgreSQL 15 or newer.');

const checkRole = ({ inRecovery }: DatabaseReport) =>
  inRecovery
    ? error(
        'postgres role',
        'a standby: its answers may be stale, so no decision may use them',
        'Point DATABASE_URL at the primary.',
      )
    : ok('postgres role', 'primary');

const checkFsync = ({ fsync }: DatabaseReport) =>
  fsync
    ? ok('postgres fsync', 'on')
    : error(
        'postgres fsync',
        'off: a crash can lose committed changes, or the whole database',
        'Set fsync = on in postgresql.conf and reload.',
      );

function checkSynchronousCommit({ synchronousCommit: value }: DatabaseReport): Check {
  const name = 'postgres synchronous_commit';
  const remedy = 'Set synchronous_commit = on, for the server, the database and the role.';
  if (value === 'off') return error(name, 'off: a crash can undo a revocation', remedy);
  if (value === 'local') {
    return warning(name, 'local: a failover to a standby can undo a revocation', remedy);
  }
  return ok(name, value);
}

function checkPooler(report: DatabaseReport, sharesServers: boolean): Check {
  const name = 'postgres pooler';
  if (!report.isPooled) return ok(name, 'none, connected directly');
  const mode = sharesServers ? 'in transaction mode' : 'in session mode';
  const missing = report.missingSettings.map(({ name, value }) => `${name} = '${value}'`);
  if (missing.length === 0) return ok(name, `PgBouncer or similar, ${mode}`);
  return warning(
    name,
    `PgBouncer or similar, ${mode}: connections cannot set ${missing.join(', ')}`,
    `Run: ${missing.map((setting) => `ALTER ROLE CURRENT_USER SET ${setting};`).join(' ')}`,
  );
}

/** What a Runtime does unless DATABASE_LEASE_MS is set. */
const checkLease = ({ synchronousStandbyNames: names }: DatabaseReport) =>
  ok(
    'postgres lease',
    names === ''
      ? 'off: without synchronous_standby_names, a failover can lose changes'
      : `1000 ms: commits wait for ${names}, and a primary that cannot commit makes no decisions`,
  );

function checkMigrations(applied: readonly number[]): Check {
  const missing = missingMigrations(applied);
  const newest = newestMigration();
  if (missing.length > 0) {
    const detail =
      applied.length === 0
        ? 'none applied: the database has no Ceiba tables yet'
        : `missing ${missing.map(({ tag }) => tag).join(', ')}`;
    return error('migrations', detail, 'Run: ceiba migrate');
  }
  return (applied.at(-1) ?? 0) > newest.when
    ? warning(
        'migrations',
        `the database is newer than this build, which ends at ${newest.tag}`,
        'Upgrade the Runtime, the console and this command to the newer release.',
      )
    : ok('migrations', `all applied, the newest is ${newest.tag}`);
}
