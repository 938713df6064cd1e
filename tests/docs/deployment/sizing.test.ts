/** The figures of docs/run/sizing.md, taken from a real Runtime and real tables. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { recordUsage, writeDecisions } from '@ceiba/schema';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT } from '../../integration/runtime/setup.ts';
import { idAt } from '../../integration/schema/decision-log/support.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { readGuide } from '../../support/guide.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import {
  createWorld,
  QUESTION,
  runtimeClient,
  type TestProject,
  type World,
} from '../../support/scenario.ts';
import { startTestRedis, type TestService } from '../../support/services.ts';
import { until } from '../../support/until.ts';

const guide = readGuide('run/sizing.md');

/** The number in the second cell of a row of the guide. */
function stated(name: string): number {
  const row = guide.text.split('\n').find((line) => line.startsWith(`| ${name} |`));
  const [, , figure = ''] = row?.split('|') ?? [];
  const number = Number(figure.replaceAll(',', '').trim());
  if (!Number.isSafeInteger(number)) throw new Error(`the guide has no number for ${name}`);
  return number;
}

/** Rows that are written so often that their size per row is that of a large table. */
const ROWS = 20_000;

let database: TestDatabase;
let redis: TestService;
let redisAdmin: Redis;
let world: World;
let project: TestProject;
let runtime: RunningRuntime;

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  redisAdmin = new Redis(redis.url);
  world = createWorld(database.url);
  project = await world.createProject({
    plan: { activeKeyCap: 10_000 },
    policies: [
      { method: 'GET', pathPattern: '/v1/reports' },
      { method: 'GET', pathPattern: '/v1/invoices' },
    ],
  });
  runtime = await startRuntime({
    databaseUrl: database.url,
    redisUrl: redis.url,
    settings: PATIENT,
  });
}, 120_000);
afterAll(async () => {
  await runtime?.stop();
  redisAdmin?.disconnect();
  await world?.close();
  await Promise.all([database?.drop(), redis?.dispose()]);
});

it('a console has at most the connections that its pools, alerts and streams have', () => {
  const numbersIn = (path: string, pattern: RegExp) =>
    [...readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8').matchAll(pattern)].map(
      ([, number]) => Number(number),
    );
  const streams = 2;
  const numbers = [
    ...numbersIn('apps/console/src/server/database.ts', /POOL_SIZE = (\d+)/g),
    ...numbersIn('apps/console/src/server/database.ts', /new Pool\((\d+),/g),
    ...numbersIn('packages/alerts/src/start.ts', /connect\(options, (\d+)\)/g),
  ];
  expect(numbers.reduce((sum, number) => sum + number, streams)).toBe(stated('`ceiba-console`'));
  expect(guide.text).toContain(`${stated('`ceiba-console`')} × consoles`);
});

describe('the connections of a Runtime', () => {
  const PURPOSES = ['decisions', 'keyRoutes', 'usage', 'decisionLog', 'checks', 'lease'];

  it('to Postgres are as many as the guide says, whatever is asked', async () => {
    const limits = Object.fromEntries(
      PURPOSES.map((purpose) => [`ceiba-${purpose}`, stated(`\`ceiba-${purpose}\``)]),
    );
    const total = Object.values(limits).reduce((sum, count) => sum + count);
    expect(stated('**of a worker**')).toBe(total);

    // The changes of one project have a share of the connections.
    const projects = [project, await world.createProject({ plan: { activeKeyCap: 10_000 } })];
    const keys = await Promise.all(
      projects.flatMap((of) => {
        const client = runtimeClient(runtime.url, of);
        return Array.from({ length: 20 }, async () => ({ client, ...(await of.createKey()) }));
      }),
    );
    const client = runtimeClient(runtime.url, project);
    const most: Record<string, number> = {};
    const count = async () => {
      const rows = await world.db.sql<{ name: string; connections: number }[]>`
        select application_name as name, count(*)::int as connections from pg_stat_activity
        where datname = current_database() and application_name <> 'ceiba-tests' group by 1`;
      for (const { name, connections } of rows) {
        most[name] = Math.max(most[name] ?? 0, connections);
      }
    };
    // Writes to keys wait, so the pool that makes them opens all connections that it may.
    const answers = await world.db.sql.begin(async (sql) => {
      await sql`set local idle_in_transaction_session_timeout = 0`;
      await sql`select from api_keys for update`;
      const pending = keys.flatMap(({ client, plaintext, apiKeyId }) => [
        client.authorize({ apiKey: plaintext }),
        client.setExpiry(apiKeyId, null),
      ]);
      await until('the pool of the key routes is full', async () => {
        await count();
        return most['ceiba-keyRoutes'] === limits['ceiba-keyRoutes'];
      });
      return pending;
    });
    await Promise.all(answers);
    await client.authorize({ apiKey: null }); // Every denial is logged.
    await fetch(`${runtime.url}/ready`);
    await until('usage and the log were written', async () => {
      await count();
      return PURPOSES.every((purpose) => (most[`ceiba-${purpose}`] ?? 0) > 0);
    });
    for (const [name, connections] of Object.entries(most)) {
      expect({ name, connections }).toEqual({
        name,
        connections: expect.toSatisfy((number: number) => number <= (limits[name] ?? 0)),
      });
    }
  });

  it('to Redis are as many as the guide says', async () => {
    await until('the check at start is over', async () => {
      const list = String(await redisAdmin.client('LIST'));
      // One is that of this test.
      return list.trim().split('\n').length - 1 === stated('Redis connections of a worker');
    });
  });
});

describe('the memory of Redis', () => {
  /** What the keys and their values take, in bytes; that of the whole server varies by itself. */
  const memory = async () => {
    const names = await redisAdmin.keys('*');
    const sizes = await Promise.all(
      names.map((name) => redisAdmin.memory('USAGE', name, 'SAMPLES', 0)),
    );
    return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
  };

  it('per key that is used is what the guide says', async () => {
    const KEYS = 1_024;
    const keys = await Promise.all(
      Array.from({ length: KEYS }, async () => (await project.createKey()).plaintext),
    );
    const client = runtimeClient(runtime.url, project);
    const spend = async (path: string) => {
      const before = await memory();
      for (let at = 0; at < KEYS; at += 256) {
        const batch = keys.slice(at, at + 256).map((apiKey) => ({ ...QUESTION, apiKey, path }));
        const reply = await client.authorizeBatch(batch);
        expect(reply.text.match(/"allowed":true/g)).toHaveLength(256);
      }
      return (await memory()) - before;
    };
    const [first, further] = [await spend('/v1/reports'), await spend('/v1/invoices')];
    expectNear(first, KEYS, stated('A key that was used this month and in this hour'));
    expectNear(further, KEYS, stated('A further policy, outcome or hour of such a key'));
  }, 120_000);
});

describe('the tables', () => {
  const sizePerRow = async (table: string, rows: number) => {
    const [row] = await world.db.sql<{ bytes: number }[]>`
      select (pg_total_relation_size(${table}::regclass) + coalesce((
        select sum(pg_total_relation_size(inhrelid)) from pg_inherits
        where inhparent = ${table}::regclass
      ), 0))::float8 as bytes`;
    return [row?.bytes ?? 0, rows] as const;
  };
  const of: { projectId: string; incarnation: string } = {
    projectId: '',
    incarnation: `${randomBytes(10).toString('hex')}x1`,
  };
  const chunks = <T>(make: (index: number) => T): T[][] =>
    Array.from({ length: ROWS / 1_000 }, (_, chunk) =>
      Array.from({ length: 1_000 }, (__, index) => make(chunk * 1_000 + index)),
    );

  beforeAll(async () => {
    of.projectId = (await world.createProject()).projectId;
  });

  it('take as much per row of usage as the guide says', async () => {
    const hours = chunks(() => ({
      ...of,
      hour: 500_000,
      apiKeyId: randomUUID(),
      policyId: randomUUID(),
      outcome: 'allowed' as const,
      count: 1_000,
    }));
    const months = chunks(() => ({ ...of, month: 24_322, scope: randomUUID(), count: 1_000 }));
    for (const [index, chunk] of hours.entries()) {
      const batch = { hours: chunk, months: months[index] ?? [], lastUsed: [] };
      await recordUsage(world.db, batch);
    }
    expectNear(...(await sizePerRow('usage_hours', ROWS)), stated('A row of `usage_hours`'));
    expectNear(...(await sizePerRow('usage_months', ROWS)), stated('A row of `usage_months`'));
  }, 120_000);

  it('take as much per logged decision as the guide says', async () => {
    const now = Date.now();
    const decisions = chunks((index) => ({
      projectId: of.projectId,
      decisionId: idAt(new Date(now - 1_000 + (index % 1_000)), index % 4_096),
      requestId: randomUUID(),
      method: 'GET',
      path: `/v1/customers/${index}/invoices`,
      outcome: 'rate_limited' as const,
      apiKeyId: randomUUID(),
      keyPrefix: 'ceiba_a3QtUwNA',
      policyId: randomUUID(),
      limits: {
        rateLimitPerMinute: 60,
        monthlyQuota: 10_000,
        remainingThisMinute: 0,
        remainingThisMonth: 4_000,
      },
      limitOwner: 'plan' as const,
      latencyMs: 3,
    }));
    for (const chunk of decisions) await writeDecisions(world.db, { decisions: chunk, gaps: [] });
    expectNear(...(await sizePerRow('decisions', ROWS)), stated('A row of `decisions`'));
  }, 120_000);
});

/** Within a fifth: pages are never filled the same way twice. */
function expectNear(bytes: number, rows: number, statedBytes: number): void {
  const each = Math.round(bytes / rows);
  expect({ each, isNear: Math.abs(each - statedBytes) <= statedBytes / 5 }).toEqual({
    each,
    isNear: true,
  });
}
