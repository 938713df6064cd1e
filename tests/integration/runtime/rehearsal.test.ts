/** `/ready` does what decisions and changes do, over the connections that serve them. */
import { runtimeReadinessSchema } from '@ceiba/contract';
import { createDatabase } from '@ceiba/devstack/databases';
import { createDatabase as connect, type Database, migrateDatabase } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, migrationsFolder, type TestDatabase } from '../../support/database.ts';
import { type RedisServer, realRedis, startRedisServer } from '../../support/redis.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';

let database: TestDatabase;
let db: Database;
let redis: RedisServer;
let runtime: RunningRuntime;
beforeAll(async () => {
  database = await createTestDatabase();
  db = connect(database.url, { maxConnections: 1 });
  redis = await startRedisServer();
  runtime = await startRuntime({ databaseUrl: database.url, redisUrl: redis.url });
});
afterAll(async () => {
  await runtime?.stop();
  await redis?.dispose();
  await db?.close();
  await database?.drop();
});

const ready = async () => {
  const reply = await fetch(`${runtime.url}/ready`);
  return { status: reply.status, ...runtimeReadinessSchema.parse(await reply.json()) };
};
const becomes = (state: object) =>
  expect.poll(ready, { timeout: 15_000, interval: 50 }).toEqual(state);
const READY = { status: 200, ok: true, checks: { database: 'ok', redis: 'ok' } };
const NOT_READY = { status: 503, ok: false, checks: { database: 'unavailable', redis: 'ok' } };

const logOnceAsked = async () => {
  await ready();
  return runtime.stdout();
};

/** Changes a default of the database, and ends the sessions that began before. */
async function setDefault(change: string): Promise<void> {
  await db.sql.unsafe(`alter database ${new URL(database.url).pathname.slice(1)} ${change}`);
  await db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
}

describe('a database in which decisions or changes fail', () => {
  it.each([
    ['default_transaction_read_only', 'on', 'set default_transaction_read_only = off'],
    ['search_path', 'elsewhere', 'set search_path for the database or the role'],
  ])(
    'by %s = %s makes /ready 503, and the log says what to change',
    async (setting, value, says) => {
      await becomes(READY);
      await setDefault(`set ${setting} = ${value}`);
      await becomes(NOT_READY);
      await expect.poll(logOnceAsked, { timeout: 15_000, interval: 50 }).toContain(says);
      await setDefault(`reset ${setting}`);
      await becomes(READY);
    },
    60_000,
  );

  it('because its encoding is not UTF8 is refused by migrate, by name', async () => {
    const serverUrl = process.env.DATABASE_URL ?? '';
    const other = await createDatabase(serverUrl, { prefix: 'ceiba_latin', template: 'template0' });
    const name = new URL(other.url).pathname.slice(1);
    await other.drop();
    await db.sql.unsafe(
      `create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
    );
    try {
      await expect(migrateDatabase(other.url, migrationsFolder)).rejects.toThrow(
        'encoding LATIN1, and Ceiba needs UTF8',
      );
    } finally {
      await other.drop();
    }
  });
});

const NO_CHARGE = { ...NOT_READY, checks: { database: 'ok', redis: 'unavailable' } };

describe.skipIf(realRedis === undefined)('a Redis that answers and in which charges fail', () => {
  it.each<[string, readonly string[], readonly string[], string]>([
    [
      'its memory is full',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
      'the memory of Redis is full: raise maxmemory',
    ],
    [
      'the user may not run scripts',
      ['ACL', 'SETUSER', 'default', '-@scripting'],
      ['ACL', 'SETUSER', 'default', '+@scripting'],
      'the user of REDIS_URL lacks a permission',
    ],
    [
      'the user may only read',
      ['ACL', 'SETUSER', 'default', '-set'],
      ['ACL', 'SETUSER', 'default', '+set'],
      'the user of REDIS_URL lacks a permission',
    ],
  ])(
    'because %s makes /ready 503, and the log says what to change',
    async (_, spoil, repair, says) => {
      const call = async ([command = '', ...words]: readonly string[]) =>
        await redis.admin.call(command, ...words);
      await becomes(READY);
      await call(spoil);
      await becomes(NO_CHARGE);
      await expect.poll(logOnceAsked, { timeout: 15_000, interval: 50 }).toContain(says);
      await call(repair);
      await becomes(READY);
    },
    60_000,
  );

  it('has nothing of the rehearsal that lasts, or that a charge or the usage reads', async () => {
    expect(await redis.admin.keys('*')).toEqual(['ceiba:{0}:counter:project']);
    expect(await redis.admin.ttl('ceiba:{0}:counter:project')).toBeGreaterThan(0);
  });
});

it('writes at most once in five seconds, however many ask', async () => {
  const startedAt = performance.now();
  const written = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(Array.from({ length: 20 }, ready));
    const rows = await db.sql<{ at: string }[]>`
      select renewed_at::text as at from runtime_leases where id like 'ready%'`;
    for (const { at } of rows) written.add(at);
  }
  const periods = Math.ceil((performance.now() - startedAt) / 5_000);
  expect(written.size).toBeGreaterThan(0);
  expect(written.size).toBeLessThanOrEqual(periods + 1);
});
