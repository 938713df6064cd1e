import { randomBytes } from 'node:crypto';

/**
 * Runs statements on one connection, so that what belongs to the session (an advisory lock) holds
 * over all of them.
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
 * Makes an empty database, or a copy of a template.
 *
 * @param {string} serverUrl Of any database of the server, as a user who may create databases.
 * @param {{ prefix: string, template?: string }} options
 * @returns {Promise<{ url: string, drop(): Promise<void> }>} `drop` ends the sessions still open.
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

/** @param {string} url @param {string} name @returns {string} The same server's other database. */
export function urlOfDatabase(url, name) {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.toString();
}
