/** The contract's "Health endpoints", with each dependency stopped, frozen and back. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import {
  apiKeyCreateResultSchema,
  apiKeyListResultSchema,
  apiKeySummarySchema,
  runtimeReadinessSchema,
  runtimeVersionSchema,
} from '@ceiba/contract';
import { migrateDatabase } from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startTestNetwork } from '../../chaos/support/proxy.ts';
import type {} from '../../support/build-programs.ts';
import { migrationsFolder } from '../../support/database.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import {
  createWorld,
  type Reply,
  type RuntimeClient,
  runtimeClient,
  send,
  type TestApiKey,
  type World,
} from '../../support/scenario.ts';
import { startTestPostgres, startTestRedis, type TestService } from '../../support/services.ts';
import { expectError, expectFields, expectOk, FIELDS } from './assertions.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let postgres: TestService;
let redis: TestService;
let world: World;
let runtime: RunningRuntime;
let client: RuntimeClient;
let apiKey: TestApiKey;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
  await migrateDatabase(postgres.url, migrationsFolder);
  world = createWorld(postgres.url);
  runtime = await startRuntime({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    settings: { LOG_LEVEL: 'debug' },
  });
  const project = await world.createProject();
  apiKey = await project.createKey();
  client = runtimeClient(runtime.url, project);
}, 120_000);

afterAll(async () => {
  await runtime?.stop();
  await world?.close();
  await Promise.all([postgres?.dispose(), redis?.dispose()]);
}, 60_000);

/** Sends a request that creates a key, up to the middle of its body. */
function sendHalf(port: number, { projectId, secret }: { projectId: string; secret: string }) {
  const body = '{"displayName":"slow"}';
  const head = [
    `POST /rt/projects/${projectId}/api-keys HTTP/1.1`,
    'host: runtime',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `x-service-project-secret: ${secret}`,
  ];
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
  return { socket, sendRest: () => socket.write(body.slice(5)) };
}

const get = (path: string, headers?: Record<string, string>): Promise<Reply> =>
  send(`${runtime.url}${path}`, 'GET', headers === undefined ? {} : { headers });

async function timed(call: () => Promise<Reply>): Promise<{ reply: Reply; tookMs: number }> {
  const startedAt = performance.now();
  const reply = await call();
  return { reply, tookMs: performance.now() - startedAt };
}

const readinessOf = (reply: Reply) => {
  expectFields(reply.json, ['ok', 'checks']);
  const body = runtimeReadinessSchema.parse(reply.json);
  expectFields(body.checks, ['database', 'redis']);
  return body;
};

const isReady = async () => (await get('/ready')).status === 200;
/** From the moment that the dependencies accept connections again. */
const backWithinFiveSeconds = () =>
  expect.poll(isReady, { timeout: 5_000, interval: 50 }).toBe(true);

describe('a healthy Runtime', () => {
  it('GET /health: "Returns `{ok: true}`"', async () => {
    const reply = await get('/health');
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('{"ok":true}');
    // Longer than balancers keep idle connections.
    expect(reply.headers.get('keep-alive')).toBe('timeout=65');
  });

  it('GET /ready: "All fine: `ok` true and each check `ok`."', async () => {
    const reply = await get('/ready');
    expect(reply.status).toBe(200);
    expect(readinessOf(reply)).toEqual({ ok: true, checks: { database: 'ok', redis: 'ok' } });
  });

  it("GET /version: `sha` is the commit of the build, `schema` the newest tag of the migrations' journal", async () => {
    const reply = await get('/version');
    const version = expectOk(reply, runtimeVersionSchema, ['sha', 'schema']);
    const journal = JSON.parse(readFileSync(`${migrationsFolder}/meta/_journal.json`, 'utf8'));
    const tags: string[] = journal.entries.map(({ tag }: { tag: string }) => tag);
    expect(version.sha).toBe(inject('buildSha'));
    expect(version.schema).toBe(tags.sort().at(-1));
    expect(version.schema).toMatch(/^\d{14}_[a-z0-9]+(?:_[a-z0-9]+)*$/);
  });

  it.each(['/health', '/ready', '/version'])(
    'GET %s is "public, no credentials", and no cache keeps it',
    async (path) => {
      for (const headers of [{}, { 'x-service-project-secret': 'wrong' }]) {
        const reply = await get(path, headers);
        expect(reply.status).toBe(200);
        expect(reply.headers.get('content-type')).toBe('application/json');
        expect(reply.headers.get('cache-control')).toBe('no-store');
        expect(reply.headers.get('x-request-id')).toMatch(UUID);
        expect(reply.headers.get('set-cookie')).toBeNull();
      }
    },
  );

  it.each(['/health', '/ready', '/version'])('%s answers only GET', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expectError(await send(`${runtime.url}${path}`, method), 'not_found');
    }
  });
});

/** What holds whatever is down: liveness and version never look at a dependency. */
async function expectAlive(): Promise<void> {
  for (const path of ['/health', '/version']) {
    expect({ path, status: (await get(path)).status }).toEqual({ path, status: 200 });
  }
}

async function expectNotReady(checks: { database: string; redis: string }): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    const { reply, tookMs } = await timed(() => get('/ready'));
    expect(reply.status).toBe(503);
    expect(readinessOf(reply)).toEqual({ ok: false, checks });
    expect(tookMs).toBeLessThan(1_000);
  }
}

/** tests/chaos judges whether a decision that cannot be made is answered in time. */
async function expectNoDecision(): Promise<void> {
  expectError(await client.authorize({ apiKey: apiKey.plaintext }), 'unavailable');
}

async function expectKeyRoutesToWork(): Promise<void> {
  const { apiKeyId } = expectOk(
    await client.createKey('made meanwhile'),
    apiKeyCreateResultSchema,
    FIELDS.created,
  );
  expectOk(await client.listKeys(), apiKeyListResultSchema, FIELDS.list);
  expectOk(await client.getKey(apiKeyId), apiKeySummarySchema, FIELDS.apiKey);
  expectOk(await client.setExpiry(apiKeyId, null), apiKeySummarySchema, FIELDS.apiKey);
  expect((await client.revoke(apiKeyId)).status).toBe(200);
  expect((await client.archive((await createdKey()).apiKeyId)).status).toBe(200);
}
const createdKey = async () =>
  expectOk(await client.createKey('another'), apiKeyCreateResultSchema, FIELDS.created);

async function expectKeyRoutesToBeUnavailable(): Promise<void> {
  const replies = await Promise.all([
    client.listKeys(),
    client.getKey(apiKey.apiKeyId),
    client.createKey('not now'),
    client.setExpiry(apiKey.apiKeyId, null),
    client.revoke(apiKey.apiKeyId),
    client.archive(apiKey.apiKeyId),
  ]);
  for (const reply of replies) {
    expectError(reply, 'unavailable');
    expect(reply.text).not.toMatch(/postgres|redis|sql|connect|ECONN/i);
  }
}

const decides = async () =>
  (await client.authorize({ apiKey: apiKey.plaintext })).text.includes('"allowed":true');
const decidesAgain = () => expect.poll(decides, { timeout: 5_000, interval: 50 }).toBe(true);

/** Down, then back, for each way of being down. */
const ways: [
  string,
  (service: TestService) => Promise<void>,
  (service: TestService) => Promise<void>,
][] = [
  ['stopped', (service) => service.stop(), (service) => service.start()],
  ['frozen (SIGSTOP)', async (service) => service.freeze(), async (service) => service.thaw()],
];

describe.each(ways)('a dependency that is %s', (_way, takeDown, bringBack) => {
  it('redis: /ready is 503 within 1 s and names it; key routes work; decisions are 503; then all is back', async () => {
    await takeDown(redis);
    try {
      await expectNotReady({ database: 'ok', redis: 'unavailable' });
      await expectAlive();
      await expectNoDecision();
      await expectKeyRoutesToWork();
    } finally {
      await bringBack(redis);
    }
    await backWithinFiveSeconds();
    await decidesAgain();
  }, 60_000);

  it('database: /ready is 503 within 1 s and names it; every other route is 503; then all is back', async () => {
    await takeDown(postgres);
    try {
      await expectNotReady({ database: 'unavailable', redis: 'ok' });
      await expectAlive();
      await expectNoDecision();
      await expectKeyRoutesToBeUnavailable();
      expect(runtime.stdout()).not.toContain('the body did not arrive');
    } finally {
      await bringBack(postgres);
    }
    await backWithinFiveSeconds();
    await decidesAgain();
    await expect.poll(async () => (await client.listKeys()).status, { timeout: 5_000 }).toBe(200);
  }, 60_000);

  it('both: "`/health` stays 200 even when authorization requests fail", and so does /version', async () => {
    await Promise.all([takeDown(postgres), takeDown(redis)]);
    try {
      await expectNotReady({ database: 'unavailable', redis: 'unavailable' });
      await expectAlive();
      await expectNoDecision();
      await expectAlive();
    } finally {
      await Promise.all([bringBack(postgres), bringBack(redis)]);
    }
    await backWithinFiveSeconds();
    await decidesAgain();
  }, 60_000);
});

describe('starting and stopping', () => {
  it('a Runtime accepts no request before it can decide it, so a balancer sends none too early', async () => {
    const project = await world.createProject();
    const { plaintext } = await project.createKey();
    const network = await startTestNetwork(postgres.url);
    network.slowDown(10);
    const slow = await startRuntime({
      databaseUrl: network.url,
      redisUrl: redis.url,
      until: '/health',
    });
    try {
      network.heal();
      const reply = await runtimeClient(slow.url, project).authorize({ apiKey: plaintext });
      expect(reply.text).toContain('"allowed":true');
    } finally {
      await slow.stop();
      await network.close();
    }
  }, 60_000);

  it('a Runtime that starts before its dependencies is alive, and ready when they are up', async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
    const early = await startRuntime({
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      until: '/health',
    });
    try {
      const ready = async () => (await send(`${early.url}/ready`, 'GET')).status;
      expect(await ready()).toBe(503);
      await Promise.all([postgres.start(), redis.start()]);
      await expect.poll(ready, { timeout: 5_000, interval: 50 }).toBe(200);
    } finally {
      await early.stop();
    }
    await backWithinFiveSeconds();
  }, 90_000);

  it('SIGTERM closes a connection that was never used, but none in the middle of a request', async () => {
    const leaving = await startRuntime({ databaseUrl: postgres.url, redisUrl: redis.url });
    const halfway = sendHalf(leaving.port, await world.createProject());
    const unused = connect(leaving.port, '127.0.0.1').resume();
    try {
      await once(unused, 'connect');
      expect((await send(`${leaving.url}/health`, 'GET')).status).toBe(200);
      leaving.kill('SIGTERM');
      await once(unused, 'close');
      halfway.sendRest();
      const [answer] = await once(halfway.socket, 'data');
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(await leaving.exited).toBe('exited with code 0');
    } finally {
      unused.destroy();
      halfway.socket.destroy();
      await leaving.stop();
    }
  }, 30_000);

  it('SIGTERM leaves a request all the time that its deadline gives it', async () => {
    const leaving = await startRuntime({
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      settings: { KEY_ROUTE_DEADLINE_MS: '4000' },
    });
    const endless = sendHalf(leaving.port, await world.createProject());
    try {
      expect((await send(`${leaving.url}/health`, 'GET')).status).toBe(200);
      leaving.kill('SIGTERM');
      let answer = '';
      for await (const text of endless.socket) answer += text;
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(await leaving.exited).toBe('exited with code 0');
    } finally {
      endless.socket.destroy();
      await leaving.stop();
    }
  }, 30_000);

  it('SIGTERM, once or twice, makes a Runtime not ready, drains it, and exits 0 within 10 s', async () => {
    const leaving = await startRuntime({
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      settings: { SHUTDOWN_DELAY_MS: '1500' },
    });
    const startedAt = performance.now();
    leaving.kill('SIGTERM');
    const readiness = async () => {
      const reply = await send(`${leaving.url}/ready`, 'GET');
      return { status: reply.status, ...readinessOf(reply) };
    };
    await expect
      .poll(readiness, { timeout: 1_400, interval: 20 })
      .toEqual({ status: 503, ok: false, checks: { database: 'ok', redis: 'ok' } });
    leaving.kill('SIGTERM');
    expect((await send(`${leaving.url}/health`, 'GET')).status).toBe(200);
    expect(await leaving.exited).toBe('exited with code 0');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await leaving.stop();
  }, 30_000);
});
