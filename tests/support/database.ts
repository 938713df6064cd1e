import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { migrateDatabase } from '@ceiba/schema';
import postgres from 'postgres';

export const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));

/** Any number that no other advisory lock of the tests takes. */
const TEMPLATE_LOCK = 0x7e5717;

export interface TestDatabase {
  /** A database of its own on the server of `DATABASE_URL`, migrated and otherwise empty. */
  readonly url: string;
  /** Removes it, ending the sessions that are still open. */
  drop(): Promise<void>;
}

/**
 * Makes a fresh migrated database. The migrations run once, into a template that is named after
 * their content; each test database is a copy of it, which takes a fraction of a second.
 *
 * @throws When `DATABASE_URL` is unset or its user may not create databases.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.DATABASE_URL;
  if (!serverUrl) {
    throw new Error(
      'DATABASE_URL is unset. Run the tests through `npm test`, or point it at a PostgreSQL ' +
        'whose user may create databases.',
    );
  }
  const name = `ceiba_test_${randomBytes(8).toString('hex')}`;
  await withServer(serverUrl, async (sql) => {
    const template = await ensureTemplate(sql, serverUrl);
    await sql`create database ${sql(name)} template ${sql(template)}`;
  });
  return {
    url: withDatabase(serverUrl, name),
    drop: () =>
      withServer(serverUrl, async (sql) => {
        await sql`drop database if exists ${sql(name)} with (force)`;
      }),
  };
}

/** Concurrent test files take turns; whoever comes first migrates, the others find it done. */
async function ensureTemplate(sql: postgres.Sql, serverUrl: string): Promise<string> {
  const template = `ceiba_template_${migrationsDigest()}`;
  await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`;
  try {
    const found = await sql`select 1 from pg_database where datname = ${template}`;
    if (found.length > 0) return template;
    // Renamed once it is whole: a run that was cut short leaves no half-migrated template.
    const draft = `${template}_draft`;
    await sql`drop database if exists ${sql(draft)} with (force)`;
    await sql`create database ${sql(draft)}`;
    await migrateDatabase(withDatabase(serverUrl, draft), migrationsFolder);
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

function withDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}

/** One connection, so that the session's advisory lock holds over all of `work`. */
async function withServer<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
