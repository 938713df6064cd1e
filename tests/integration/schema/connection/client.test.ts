import { createServer } from 'node:net';
import { DatabaseClient, DatabaseUnavailableError, pingDatabase } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { useBench } from '../support.ts';

const bench = useBench();

test('a client drops a pool whose server was demoted while its connections kept working', async () => {
  const name = new URL(bench.url).pathname.slice(1);
  await bench.db.sql.unsafe(`
    create schema pretended;
    create table pretended.role as select false as in_recovery;
    create function pretended.pg_is_in_recovery() returns boolean language sql as
      'select in_recovery from pretended.role';
    alter database "${name}" set search_path = pretended, pg_catalog, public`);
  const states: string[] = [];
  const client = new DatabaseClient(bench.url, {
    maxConnections: 2,
    verifyPrimaryAfterMs: 0,
    onStateChange: (state) => states.push(state),
  });
  try {
    const count = () =>
      client.run(5_000, async (db) => (await db.sql`select 1 from projects`).length);
    expect(await count()).toBe(0);
    await bench.db.sql`update pretended.role set in_recovery = true`;
    await expect(count()).rejects.toThrow(DatabaseUnavailableError);
    expect(states).toEqual(['up', 'down']);
  } finally {
    await client.close();
  }
});

test('a client pauses between connections that a load balancer closes at once', async () => {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = new DatabaseClient(`postgres://ceiba@127.0.0.1:${port}/ceiba`, {
    isPatient: true,
  });
  try {
    await expect(client.run(3_000, pingDatabase)).rejects.toThrow(DatabaseUnavailableError);
    expect(accepted).toBeGreaterThan(2);
    expect(accepted).toBeLessThan(60);
  } finally {
    await client.close();
    server.close();
  }
});
