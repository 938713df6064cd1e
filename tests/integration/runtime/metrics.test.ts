/** The metrics that Prometheus reads: what a Runtime did, exactly, on a port of its own. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { freePort } from '@ceiba/devstack/ports';
import { describe, expect, it, vi } from 'vitest';
import { callers } from '../../support/callers.ts';
import { risen, scrape } from '../../support/metrics.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { QUESTION, runtimeClient } from '../../support/scenario.ts';
import { startTestRedis } from '../../support/services.ts';
import { until } from '../../support/until.ts';
import { workersStartedBy } from '../../support/workers.ts';
import { PATIENT, startWorld } from './setup.ts';

/** Several Runtimes have to start, and a worker a second time. */
vi.setConfig({ testTimeout: 120_000 });
const PATIENTLY = { interval: 50, timeout: 40_000 };

const port = await freePort();
const { world, runtime, databaseUrl, redisUrl } = await startWorld({
  ...PATIENT,
  METRICS_PORT: String(port),
});

/** Runs `work` with a Runtime of its own, and with the port of its metrics. */
async function withRuntime(
  settings: Record<string, string>,
  work: (runtime: RunningRuntime, metricsPort: number) => Promise<void>,
  redis = redisUrl,
): Promise<void> {
  const metricsPort = await freePort();
  const own = await startRuntime({
    databaseUrl,
    redisUrl: redis,
    settings: { ...PATIENT, METRICS_PORT: String(metricsPort), ...settings },
  });
  try {
    await work(own, metricsPort);
  } finally {
    await own.stop();
  }
}

describe('the metrics of a Runtime', () => {
  it('count each decision by its outcome, however it was asked', async () => {
    const project = await world.createProject();
    const client = runtimeClient(runtime.url, project);
    const { inactive_subscription: lapsed, ...questions } = await callers(world, project);
    const inactive = runtimeClient(runtime.url, lapsed.project);
    // The first call of a secret takes one lookup more, which proves it.
    for (const each of [client, inactive]) await each.authorize({ apiKey: null });
    const before = await scrape(port);

    const expected: Record<string, number> = {};
    for (const [index, [outcome, { question }]] of Object.entries(questions).entries()) {
      expected[outcome] = index + 1;
      for (let n = 0; n <= index; n += 1) await client.authorize(question);
    }
    expected.inactive_subscription = 2;
    await inactive.authorize(lapsed.question);
    await inactive.forwardAuth(lapsed.question);
    await client.authorizeBatch([
      questions.allowed.question,
      questions.revoked_api_key.question,
      { method: 'not a request' },
    ]);
    expected.allowed = 2;
    expected.revoked_api_key = (expected.revoked_api_key ?? 0) + 1;

    const after = await scrape(port);
    expect(risen(before, after, 'ceiba_decisions_total')).toEqual(expected);
    expect(Object.keys(after.by('ceiba_decisions_total'))).toEqual(['allowed', ...DENIAL_REASONS]);
    expect(risen(before, after, 'ceiba_decision_failures_total')).toEqual({});
    const rise = (series: string) => (after.of(series) ?? 0) - (before.of(series) ?? 0);
    const asked = (9 * 10) / 2 + 3;
    const durations = (stage: string) =>
      rise(`ceiba_decision_duration_seconds_count{stage="${stage}"}`);
    expect(durations('whole')).toBe(asked);
    expect(durations('lookup')).toBe(asked + 2);
    expect(durations('policies')).toBeGreaterThanOrEqual(2);
    const charged = 2 + (expected.quota_exceeded ?? 0) + (expected.rate_limited ?? 0);
    expect(durations('charge')).toBe(charged);
    expect(rise('ceiba_batch_size_count{batch="request"}')).toBe(1);
    expect(rise('ceiba_batch_size_sum{batch="request"}')).toBe(3);
    expect(rise('ceiba_batch_size_sum{batch="charge"}')).toBeGreaterThanOrEqual(charged);
  });

  it('count the mistakes of hosts and gateways, which are no failures', async () => {
    const project = await world.createProject();
    const client = runtimeClient(runtime.url, project);
    const before = await scrape(port);
    await client.authorize({ apiKey: null }, { secret: 'ceiba_secret_wrong' });
    await client.listKeys({ secret: null });
    await client.forwardAuth({}, { secret: 'ceiba_secret_wrong' });
    await client.forwardAuth({}, { headers: { 'x-forwarded-method': 'POST' } });
    await client.authorize({ apiKey: 1 });
    const after = await scrape(port);
    const rise = (series: string) => (after.of(series) ?? 0) - (before.of(series) ?? 0);
    expect(rise('ceiba_refused_secrets_total')).toBe(3);
    expect(rise('ceiba_unclear_requests_total')).toBe(1);
    expect(risen(before, after, 'ceiba_decision_failures_total')).toEqual({});
  });

  it('count each failure by its cause, and the errors behind it', async () => {
    const redis = await startTestRedis();
    const project = await world.createProject();
    const { plaintext } = await project.createKey();
    const test = async (own: RunningRuntime, metricsPort: number) => {
      const client = runtimeClient(own.url, project);
      const ask = async () => (await client.authorize({ apiKey: plaintext })).status;
      expect(await ask()).toBe(200);
      const start = await scrape(metricsPort);
      expect(start.by('ceiba_dependency_up')).toEqual({ database: 1, redis: 1 });

      const { sql } = world.db;
      await sql`alter table api_keys rename column key_digest to key_digest_elsewhere`;
      const batch = [QUESTION, QUESTION].map((each) => ({ ...each, apiKey: plaintext }));
      expect(await ask()).toBe(503);
      await client.authorizeBatch(batch);
      await sql`alter table api_keys rename column key_digest_elsewhere to key_digest`;
      const failed = await scrape(metricsPort);
      expect(risen(start, failed, 'ceiba_decision_failures_total')).toEqual({ database: 2 });
      const statements = 'ceiba_dependency_errors_total{dependency="database",error="statement"}';
      expect(failed.of(statements)).toBe(2);
      expect(failed.of('ceiba_decisions_total{outcome="allowed"}')).toBe(1);

      redis.freeze();
      expect(await ask()).toBe(503);
      const frozen = await scrape(metricsPort);
      expect(risen(failed, frozen, 'ceiba_decision_failures_total')).toEqual({ redis: 1 });
      const timeouts = 'ceiba_dependency_errors_total{dependency="redis",error="timeout"}';
      expect(frozen.of(timeouts)).toBeGreaterThan(0);
      expect(frozen.by('ceiba_dependency_up')).toEqual({ database: 1, redis: 0 });
      redis.thaw();
      await until('decisions are made again', async () => (await ask()) === 200);
    };
    try {
      await withRuntime({ DECISION_REDIS_BUDGET_MS: '1000' }, test, redis.url);
    } finally {
      await redis.dispose();
    }
  });

  it('show what is in flight, and count what is refused at once', async () => {
    const project = await world.createProject();
    const client = runtimeClient(runtime.url, project);
    await withRuntime({ MAX_DECISIONS_IN_FLIGHT: '1' }, async (own, metricsPort) => {
      const idle = await scrape(metricsPort);
      expect(idle.of('ceiba_requests_in_flight')).toBe(0);
      expect(idle.of('ceiba_admission_limit')).toBe(1);
      // Half a body keeps the request in flight.
      const socket = connect(own.port, '127.0.0.1');
      socket.write(
        `POST /rt/projects/${project.projectId}/authorize HTTP/1.1\r\nhost: x\r\n` +
          `x-service-project-secret: ${project.secret}\r\ncontent-length: 30\r\n\r\n{`,
      );
      const inFlight = async () => (await scrape(metricsPort)).of('ceiba_requests_in_flight') === 1;
      await until('the request is in flight', inFlight);
      const other = runtimeClient(own.url, project);
      expect((await other.authorize({ apiKey: null })).status).toBe(503);
      const after = await scrape(metricsPort);
      expect(after.of('ceiba_shed_requests_total')).toBe(1);
      expect(risen(idle, after, 'ceiba_decision_failures_total')).toEqual({ overload: 1 });
      socket.destroy();
    });
    expect((await client.authorize({ apiKey: null })).status).toBe(200);
  });

  it('show how old the work in the background is', async () => {
    const lag = (await scrape(port)).by('ceiba_task_lag_seconds');
    expect(Object.keys(lag)).toContain('usage_flush');
    expect(lag.usage_flush).toBeLessThan(10);
    expect((await scrape(port)).of('ceiba_usage_waiting')).toBeGreaterThanOrEqual(0);
  });
});

describe('the port of the metrics', () => {
  it('answers GET /metrics, the same at GET /, and nothing else', async () => {
    const base = `http://127.0.0.1:${port}`;
    const reply = await fetch(`${base}/metrics`);
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await reply.text()).toContain('ceiba_decisions_total');
    expect((await scrape(port, '/')).by('ceiba_decisions_total')).toHaveProperty('allowed');
    for (const [method, path] of [
      ['POST', '/metrics'],
      ['HEAD', '/metrics'],
      ['POST', '/'],
      ['GET', '//'],
      ['GET', '/metrics/'],
      ['GET', '/health'],
      ['GET', '/metrics?name=x'],
      ['POST', '/rt/projects/00000000-0000-4000-8000-000000000000/authorize'],
    ] as const) {
      const { status } = await fetch(`${base}${path}`, { method });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });

  it('is not the port of the decisions', async () => {
    expect((await fetch(`${runtime.url}/metrics`)).status).toBe(404);
  });

  it('is closed where it is turned off', async () => {
    await withRuntime({ METRICS_PORT: 'off' }, async (own, metricsPort) => {
      await expect(scrape(metricsPort)).rejects.toThrow('fetch failed');
      expect(own.stdout()).not.toContain('Prometheus');
    });
  });

  it.each(['1', '2'])('ends a Runtime with %s worker(s) where it is taken', async (workers) => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const taken = String(typeof address === 'object' ? address?.port : address);
    const settings = { METRICS_PORT: taken, RUNTIME_WORKERS: workers };
    const starting = startRuntime({ databaseUrl, redisUrl, settings });
    await expect(starting).rejects.toThrow(/EADDRINUSE[\s\S]*set METRICS_PORT to a free port/);
    other.close();
  });
});

describe('a Runtime with two workers', () => {
  it('adds up what they count, also after one of them was replaced', async () => {
    const project = await world.createProject();
    const { plaintext } = await project.createKey();
    const settings = { RUNTIME_WORKERS: '2', LOG_LEVEL: 'debug' };
    await withRuntime(settings, async (own, metricsPort) => {
      const client = runtimeClient(own.url, project);
      const headers = { connection: 'close' };
      const ask = async () => {
        const { status } = await client.authorize({ apiKey: plaintext }, { headers });
        expect(status).toBe(200);
      };
      const deciders = () =>
        new Set(
          own
            .stdout()
            .split('\n')
            .filter((line) => line.includes('"msg":"decision"'))
            .map((line) => JSON.parse(line).worker as number),
        ).size;
      let asked = 0;
      await until('both workers have decided', async () => {
        await Promise.all(Array.from({ length: 8 }, ask));
        asked += 8;
        return deciders() === 2;
      });
      const ofAll = async () => {
        const { of } = await scrape(metricsPort);
        return {
          allowed: of('ceiba_decisions_total{outcome="allowed"}'),
          charges: of('ceiba_decision_duration_seconds_count{stage="charge"}'),
          whole: of('ceiba_decision_duration_seconds_bucket{le="+Inf",stage="whole"}'),
          answering: of('ceiba_workers_answering'),
          exits: of('ceiba_worker_exits_total'),
        };
      };
      const counts = () => ({ allowed: asked, charges: asked, whole: asked });
      await expect.poll(ofAll, PATIENTLY).toEqual({ ...counts(), answering: 2, exits: 0 });
      // Of a limit the lowest is shown: a sum would hide the worker that refuses.
      expect((await scrape(metricsPort)).of('ceiba_admission_limit')).toBe(4_096);

      const [victim = 0, other = 0] = workersStartedBy(own);
      process.kill(victim, 'SIGKILL');
      await expect.poll(async () => (await ofAll()).exits, PATIENTLY).toBe(1);
      expect(await ofAll()).toMatchObject(counts());
      await expect.poll(async () => (await ofAll()).answering, PATIENTLY).toBe(2);
      expect(await ofAll()).toMatchObject(counts());
      for (let n = 0; n < 10; n += 1) await ask();
      asked += 10;
      await expect.poll(ofAll, PATIENTLY).toEqual({ ...counts(), answering: 2, exits: 1 });

      process.kill(other, 'SIGSTOP');
      try {
        expect(await ofAll()).toEqual({ ...counts(), answering: 1, exits: 1 });
      } finally {
        process.kill(other, 'SIGCONT');
      }
    });
  });
});
