import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase, urlOfDatabase, withConnection } from '@ceiba/devstack/databases';
import { migrateDatabase } from '@ceiba/schema';
import type { Sql } from 'postgres';

export const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** An arbitrary number that no other advisory lock of the tests uses. */
const TEMPLATE_LOCK = 0x7e5717;

export interface TestDatabase {
  /** A migrated database without data. */
  readonly url: string;
  /** Drops it and ends its open sessions. */
  drop(): Promise<void>;
}

/**
 * Creates a migrated database. The migrations run once, into a template that is named after their
 * content; each test database is a copy of it, which takes a fraction of a second.
 *
 * @param serverUrl the server of `DATABASE_URL` by default.
 * @throws when `DATABASE_URL` is unset or its user may not create databases.
 */
export async function createTestDatabase(
  serverUrl = process.env.DATABASE_URL,
): Promise<TestDatabase> {
  if (!serverUrl) {
    throw new Error(
      'DATABASE_URL is unset. Run the tests through `npm test`, or point it at a PostgreSQL ' +
        'whose user may create databases.',
    );
  }
  const template = await withConnection(serverUrl, (sql) => ensureTemplate(sql, serverUrl));
  return createDatabase(serverUrl, { prefix: 'ceiba_test', template });
}

/** The first of concurrent test files creates the template; the others wait for its lock. */
async function ensureTemplate(sql: Sql, serverUrl: string): Promise<string> {
  const template = `ceiba_template_${migrationsDigest()}`;
  await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`;
  try {
    const found = await sql`select 1 from pg_database where datname = ${template}`;
    if (found.length > 0) return template;
    // Renamed once complete, so that an interrupted run leaves no half-migrated template.
    const draft = `${template}_draft`;
    await sql`drop database if exists ${sql(draft)} with (force)`;
    await sql`create database ${sql(draft)}`;
    await migrateDatabase(urlOfDatabase(serverUrl, draft), migrationsFolder);
    await sql`alter database ${sql(draft)} rename to ${sql(template)}`;
    return template;
  } finally {
    await sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`;
  }
}

function migrationsDigest(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(migrationsFolder).sort()) {
    if (file.endsWith('.sql')) hash.update(file).update(readFileSync(join(migrationsFolder, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
