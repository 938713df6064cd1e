import { randomBytes } from 'node:crypto';

/**
 * Runs statements on one connection, so that session state (an advisory lock) spans all of them.
 *
 * @template T
 * @param {string} url
 * @param {(sql: import('postgres').Sql) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withConnection(url, work) {
  const { default: postgres } = await import('postgres');
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
 * @param {string} serverUrl The URL of any database of the server, with a user that may create databases.
 * @param {{ prefix: string, template?: string }} options
 * @returns {Promise<{ url: string, drop(): Promise<void> }>} `drop` ends open sessions.
 */
export async function createDatabase(serverUrl, { prefix, template = 'template1' }) {
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

/** @param {string} url @param {string} name @returns {string} The URL of another database on the same server. */
export function urlOfDatabase(url, name) {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}
