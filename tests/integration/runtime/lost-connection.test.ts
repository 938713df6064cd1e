/** A connection that is lost in the middle of a transaction fails only that transaction. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createDatabase, type Database } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabasePool } from '../../../apps/runtime/src/database/pool.ts';
import { UnavailableError } from '../../../apps/runtime/src/unavailable.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let proxy: Server;
let proxyUrl: string;
/** The ends that face the clients, of the connections that are open. */
const clients = new Set<Socket>();

beforeAll(async () => {
  database = await createTestDatabase();
  const address = new URL(database.url);
  const behind = { host: address.hostname, port: Number(address.port || 5432) };
  proxy = createServer((client) => {
    const server = connect(behind);
    clients.add(client);
    client.once('close', () => {
      clients.delete(client);
      server.destroy();
    });
    server.once('close', () => client.destroy());
    for (const socket of [client, server]) socket.on('error', () => {});
    client.pipe(server).pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  address.host = `127.0.0.1:${port}`;
  proxyUrl = address.toString();
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  proxy.close();
  await database.drop();
});

const ways: [string, (db: Database) => Promise<unknown>][] = [
  ['closed', async () => clients.forEach((client) => void client.destroy())],
  ['half closed', async () => clients.forEach((client) => void client.end())],
  ['reset', async () => clients.forEach((client) => void client.resetAndDestroy())],
  [
    'ended by the server',
    (admin) => admin.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'ceiba-lost' and pid <> pg_backend_pid()`,
  ],
];

describe.each(ways)('connections that are %s in the middle of transactions', (_way, lose) => {
  it('fail only these transactions: the process lives, and the pool serves at once', async () => {
    const admin = createDatabase(database.url, { maxConnections: 1 });
    const pool = new DatabasePool({
      url: proxyUrl,
      maxConnections: 2,
      applicationName: 'ceiba-lost',
      statementTimeoutMs: 60_000,
    });
    try {
      for (let round = 0; round < 10; round += 1) {
        // The server notices only at its next write that a client is gone: rounds have to differ.
        const wait = `select pg_sleep(30) as round_${randomBytes(8).toString('hex')}`;
        const transactions = [
          pool.run(60_000, ({ sql }) =>
            sql.begin(async (tx) => {
              await tx`select 1`;
              await tx.unsafe(wait);
            }),
          ),
          pool.run(60_000, ({ orm }) =>
            orm.transaction((tx) => tx.transaction((inner) => inner.execute(wait))),
          ),
        ];
        const failures = transactions.map((transaction) =>
          transaction.then(
            () => 'committed',
            (error: unknown) => (error instanceof UnavailableError ? 'unavailable' : error),
          ),
        );
        await expect.poll(() => running(admin, wait), { timeout: 5_000, interval: 5 }).toBe(2);
        await lose(admin);
        expect(await Promise.all(failures)).toEqual(['unavailable', 'unavailable']);
        const answers = Array.from({ length: 4 }, (_, n) =>
          pool.run(2_000, ({ sql }) => sql`select ${n}::int as answer`),
        );
        expect((await Promise.all(answers)).flat()).toEqual(
          answers.map((_, answer) => ({ answer })),
        );
      }
    } finally {
      await Promise.all([pool.close(), admin.close()]);
    }
  });
});

async function running(admin: Database, statement: string): Promise<number> {
  const [row] = await admin.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where application_name = 'ceiba-lost' and query = ${statement} and state = 'active'`;
  return row?.count ?? 0;
}
