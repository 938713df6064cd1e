/** `DATABASE_URL` with a list of hosts. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { freePort } from '@ceiba/devstack/ports';
import { DatabaseClient, DatabaseUnavailableError, openDatabase } from '@ceiba/schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresPair, startPostgresPair } from '../../support/postgres-pair.ts';
import { until } from '../../support/until.ts';

let pair: PostgresPair;
beforeAll(async () => {
  pair = await startPostgresPair();
}, 120_000);
afterAll(() => pair?.dispose());

/** The standby first, as after a second failover. */
const standbyFirst = () => {
  const { host, pathname, username, password, protocol } = new URL(pair.primary.url);
  const hosts = `${new URL(pair.standby.url).host},${host}`;
  return `${protocol}//${username}:${password}@${hosts}${pathname}`;
};

const BUDGET_MS = 5_000;
const portOf = async (client: DatabaseClient): Promise<number> => {
  const [row] = await client.run(BUDGET_MS, ({ sql }) => sql`select inet_server_port() as port`);
  return row?.port;
};

it('a standby that is first in the list is skipped', async () => {
  const client = new DatabaseClient(standbyFirst(), { maxConnections: 4 });
  const ports = await Promise.all(Array.from({ length: 8 }, () => portOf(client)));
  expect(new Set(ports)).toEqual(new Set([Number(new URL(pair.primary.url).port)]));
  await client.close();

  const db = await openDatabase(standbyFirst(), { maxConnections: 1 });
  const [row] = await db.sql`select pg_is_in_recovery() as "inRecovery"`;
  expect(row?.inRecovery).toBe(false);
  await db.close();
});

it('a client without a server fails each call in time, and tries no host after close', async () => {
  const ports = [await freePort(), await freePort()];
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const client = new DatabaseClient(`postgres://user@${hosts}/ceiba`);
  const asked = client.run(BUDGET_MS, ({ sql }) => sql`select 1`);
  await expect(asked).rejects.toBeInstanceOf(DatabaseUnavailableError);
  await client.close();

  const servers = await Promise.all(
    ports.map(async (port) => {
      const server = createServer((socket) => socket.end());
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return server;
    }),
  );
  let visits = 0;
  for (const server of servers) server.on('connection', () => (visits += 1));
  for (let round = 1; round <= 20; round += 1) {
    for (const server of servers) {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
      await once(socket, 'close');
    }
  }
  expect(visits).toBe(2 * 20);
  for (const server of servers) server.close();
});

it('a promoted standby is found at the next host', async () => {
  const client = new DatabaseClient(pair.hostListUrl(pair.primary.url));
  const before = await portOf(client);
  await pair.caughtUp();
  await pair.primary.stop();
  await pair.promote();
  await until('the new primary answers', async () => (await portOf(client)) !== before);
  await client.close();
});
