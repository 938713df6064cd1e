import {
  appliedMigrationTimes,
  type Database,
  type DatabaseFacts,
  inspectDatabase,
  openDatabase,
} from '@ceiba/schema';
import { explainDatabaseFault } from '../database.ts';
import type { Address } from '../env.ts';
import { missingMigrations, newestMigration } from '../migrations.ts';
import { withPatience } from '../patience.ts';
import { type Check, error, ok, warning } from './check.ts';

const OLDEST_VERSION_NUMBER = 150_000;

/** Postgres: reachable, new enough, a primary, durable, migrated. */
export async function checkDatabase(address: Address): Promise<Check[]> {
  let db: Database | undefined;
  try {
    db = await openDatabase(address.url, { maxConnections: 1, applicationName: 'ceiba-doctor' });
    return await withPatience(checksOf(db));
  } catch (fault) {
    const detail = explainDatabaseFault(fault, address);
    return [error('postgres', detail, 'Mend the connection; the checks of Postgres follow then.')];
  } finally {
    await db?.close();
  }
}

async function checksOf(db: Database): Promise<Check[]> {
  const facts = await inspectDatabase(db);
  const applied = await appliedMigrationTimes(db);
  return [
    checkVersion(facts),
    checkRole(facts),
    checkFsync(facts),
    checkSynchronousCommit(facts),
    checkMigrations(applied),
  ];
}

const checkVersion = ({ versionNumber, version }: DatabaseFacts) =>
  versionNumber >= OLDEST_VERSION_NUMBER
    ? ok('postgres version', version)
    : error('postgres version', version, 'Upgrade to PostgreSQL 15 or newer.');

const checkRole = ({ inRecovery }: DatabaseFacts) =>
  inRecovery
    ? error(
        'postgres role',
        'a standby, whose answers may be old: no decision may rest on them',
        'Point DATABASE_URL at the primary.',
      )
    : ok('postgres role', 'primary');

const checkFsync = ({ fsync }: DatabaseFacts) =>
  fsync
    ? ok('postgres fsync', 'on')
    : error(
        'postgres fsync',
        'off: a crash can lose what was committed, or all of it',
        'Set fsync = on in postgresql.conf and reload.',
      );

function checkSynchronousCommit({ synchronousCommit: value }: DatabaseFacts): Check {
  const name = 'postgres synchronous_commit';
  const remedy = 'Set synchronous_commit = on, for the server, the database and the role.';
  if (value === 'off') return error(name, 'off: a crash can undo a revocation', remedy);
  if (value === 'local') {
    return warning(name, 'local: a failover to a standby can undo a revocation', remedy);
  }
  return ok(name, value);
}

function checkMigrations(applied: readonly number[]): Check {
  const missing = missingMigrations(applied);
  const newest = newestMigration();
  if (missing.length > 0) {
    const detail =
      applied.length === 0
        ? 'none applied: the database has no Ceiba tables yet'
        : `missing ${missing.map(({ tag }) => tag).join(', ')}`;
    return error('migrations', detail, 'Run: npx ceiba migrate');
  }
  return (applied.at(-1) ?? 0) > newest.when
    ? warning(
        'migrations',
        `the database is newer than this build, whose newest is ${newest.tag}`,
        'Bring the Runtime, the console and this command up to the newer release.',
      )
    : ok('migrations', `all applied, the newest is ${newest.tag}`);
}
