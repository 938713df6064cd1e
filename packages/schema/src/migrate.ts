import { migrate } from 'drizzle-orm/postgres-js/migrator';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { pingDatabase } from './ping.ts';

/** Any number, as long as every migrator takes the same one. */
const MIGRATION_LOCK = 0x0ce1ba;

/**
 * Applies the migrations that the database lacks. Two that start at once take turns: the lock is
 * the session's, and the pool has one connection, so the migrations run under it.
 *
 * @param migrationsFolder the folder that holds the SQL files and `meta/_journal.json`
 * @returns how many this call applied
 */
export async function migrateDatabase(
  url: string,
  migrationsFolder: string,
): Promise<{ applied: number }> {
  const db = await openDatabase(url, { maxConnections: 1, applicationName: 'ceiba-migrate' });
  try {
    await pingDatabase(db);
    await db.sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    const before = await appliedMigrationTimes(db);
    await migrate(db.orm, { migrationsFolder });
    return { applied: (await appliedMigrationTimes(db)).length - before.length };
  } finally {
    await db.close();
  }
}

/** When each migration that the database has was made, as the journal has it, oldest first. */
export async function appliedMigrationTimes(db: Database): Promise<number[]> {
  const [table] = await db.sql`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (table?.name === null) return [];
  const rows = await db.sql<{ created_at: string }[]>`
    select created_at from drizzle.__drizzle_migrations order by created_at`;
  return rows.map((row) => Number(row.created_at));
}
