import { randomBytes } from 'node:crypto';

import postgres, { type Sql } from 'postgres';

/** Runs statements on one connection, so that session state (an advisory lock) spans all of them. */
export async function withConnection<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Creates an empty database, or a copy of a template.
 *
 * @param serverUrl The URL of any database of the server, with a user that may create databases.
 * @returns `drop` ends open sessions.
 */
export async function createDatabase(
  serverUrl: string,
  { prefix, template = 'template1' }: { prefix: string; template?: string },
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `${prefix}_${randomBytes(8).toString('hex')}`;
  await withConnection(serverUrl, (sql) =>
    sql`create database ${sql(name)} template ${sql(template)}`.execute(),
  );
  return {
    url: urlOfDatabase(serverUrl, name),
    drop: async () => {
      await withConnection(serverUrl, (sql) =>
        sql`drop database if exists ${sql(name)} with (force)`.execute(),
      );
    },
  };
}

/** @returns The URL of another database on the same server. */
export function urlOfDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}
