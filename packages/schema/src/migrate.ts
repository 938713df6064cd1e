import { migrate } from 'drizzle-orm/postgres-js/migrator';
import type { Database } from './connection/database.ts';
import { openDatabase } from './connection/open.ts';
import { pingDatabase } from './connection/ping.ts';
import { LOCKS } from './locks.ts';

/**
 * Applies the migrations that the database lacks. Concurrent runs are serialised by a lock that is
 * held in a transaction of its own: behind a pooler in transaction mode, a session lock would stay
 * on a shared server process and block others.
 *
 * @param migrationsFolder the folder that holds the SQL files and `meta/_journal.json`
 * @returns how many this call applied
 */
export async function migrateDatabase(
  url: string,
  migrationsFolder: string,
): Promise<{ applied: number }> {
  const db = await openDatabase(url, { maxConnections: 2, applicationName: 'ceiba-migrate' });
  try {
    await pingDatabase(db);
    return await db.sql.begin(async (lock) => {
      await lock`set local idle_in_transaction_session_timeout = 0`;
      await lock`select pg_advisory_xact_lock(${LOCKS.migration})`;
      const before = await appliedMigrationTimes(db);
      await migrate(db.orm, { migrationsFolder });
      return { applied: (await appliedMigrationTimes(db)).length - before.length };
    });
  } finally {
    await db.close();
  }
}

/** The journal's time of each migration that the database has, oldest first. */
export async function appliedMigrationTimes(db: Database): Promise<number[]> {
  const [table] = await db.sql`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (table?.name === null) return [];
  const rows = await db.sql<{ created_at: string }[]>`
    select created_at from drizzle.__drizzle_migrations order by created_at`;
  return rows.map((row) => Number(row.created_at));
}
