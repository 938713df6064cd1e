/** Traces as an OTLP receiver gets them, and that no decision depends on it. */
import { randomBytes } from 'node:crypto';
import { type AuthorizeBatchResult, type Decision, decisionSchema } from '@ceiba/contract';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { mintApiKey } from '@ceiba/domain';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startRuntime } from '../../support/runtime.ts';
import { QUESTION, type Reply, runtimeClient } from '../../support/scenario.ts';
import { startTestRedis } from '../../support/services.ts';
import { until } from '../../support/until.ts';
import { PATIENT, startWorld } from './setup.ts';

const receiver = await startOtlpReceiver();
afterAll(() => receiver.close());
const TRACED = {
  ...PATIENT,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20receiver-token',
  OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  OTEL_BSP_SCHEDULE_DELAY: '50',
};
const { world, runtime, databaseUrl, redisUrl } = await startWorld({
  ...TRACED,
  OTEL_SERVICE_NAME: 'access',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
});
const SOON_MS = 20_000;

beforeEach(() => {
  receiver.answer = 'at once';
});

const setUp = async (url = runtime.url) => {
  const project = await world.createProject();
  const apiKey = await project.createKey();
  return { project, apiKey, client: runtimeClient(url, project) };
};

/** A trace of a caller: what it sends, and how its spans are found. */
function callerOf(flags: '00' | '01' = '01') {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const spans = () => receiver.spans.filter((span) => span.traceId === traceId);
  const received = () => until('the spans are received', () => spans().length > 0, SOON_MS);
  return { traceId, spanId, headers: { traceparent }, spans, received };
}

const decisionOf = ({ json }: Reply) => decisionSchema.parse(json) as Decision;
const serverSpan = (spans: readonly ReceivedSpan[]) => spans.find(({ kind }) => kind === 'server')!;
const childrenOf = (spans: readonly ReceivedSpan[], { spanId }: ReceivedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId).sort((a, b) => a.startMs - b.startMs);
const ofProject = (projectId: string) =>
  receiver.spans.filter(({ attributes }) => attributes['ceiba.project.id'] === projectId);

describe('the trace of an allow', () => {
  it('is a part of its caller’s, with the stages at their times', async () => {
    const { project, apiKey, client } = await setUp();
    const caller = callerOf();
    const before = Date.now();
    const reply = await client.authorize({ apiKey: apiKey.plaintext }, { headers: caller.headers });
    const after = Date.now();
    await caller.received();
    const server = serverSpan(caller.spans());
    expect(server).toEqual({
      traceId: caller.traceId,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: caller.spanId,
      traceState: '',
      name: 'POST /rt/projects/{projectId}/authorize',
      kind: 'server',
      startMs: expect.any(Number),
      endMs: expect.any(Number),
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/rt/projects/{projectId}/authorize',
        'url.scheme': 'http',
        'http.response.status_code': 200,
        'ceiba.project.id': project.projectId,
        'ceiba.decision.id': decisionOf(reply).decisionId,
        'ceiba.decision.outcome': 'allowed',
      },
      events: [],
      isError: false,
      resource: expect.objectContaining({
        'service.name': 'access',
        'service.instance.id': expect.any(String),
        'deployment.environment.name': 'test',
      }),
    });
    const stages = childrenOf(caller.spans(), server);
    expect(stages.map(({ name }) => name)).toEqual(['lookup', 'policies', 'charge', 'first use']);
    // Each lies in its parent, after the one before it, and lasts longer than nothing.
    let from = server.startMs;
    for (const { startMs, endMs, isError, attributes } of stages) {
      expect(startMs).toBeGreaterThanOrEqual(from);
      expect(endMs).toBeGreaterThan(startMs);
      expect({ isError, attributes }).toEqual({ isError: false, attributes: {} });
      from = endMs;
    }
    expect(server.endMs).toBeGreaterThanOrEqual(from);
    expect(server.startMs).toBeGreaterThanOrEqual(before - 1);
    expect(server.endMs).toBeLessThanOrEqual(after + 1);
  });

  it('has no stage that was not needed: policies in memory, a key that was used before', async () => {
    const { apiKey, client } = await setUp();
    await client.authorize({ apiKey: apiKey.plaintext });
    const caller = callerOf();
    await client.authorize({ apiKey: apiKey.plaintext }, { headers: caller.headers });
    await caller.received();
    const stages = childrenOf(caller.spans(), serverSpan(caller.spans()));
    expect(stages.map(({ name }) => name)).toEqual(['lookup', 'charge']);
  });
});

describe('the trace of a denial', () => {
  it('has its reason and no charge, and is no error', async () => {
    const { client } = await setUp();
    const caller = callerOf();
    const reply = await client.authorize({ apiKey: 'nonsense' }, { headers: caller.headers });
    await caller.received();
    const server = serverSpan(caller.spans());
    expect(server.attributes).toMatchObject({
      'ceiba.decision.id': decisionOf(reply).decisionId,
      'ceiba.decision.outcome': 'invalid_api_key',
    });
    expect(server.isError).toBe(false);
    expect(childrenOf(caller.spans(), server).map(({ name }) => name)).toEqual(['lookup']);
  });

  it('of a gateway is a part of the trace that the gateway sends', async () => {
    const { project, apiKey, client } = await setUp();
    const caller = callerOf();
    const question = { apiKey: apiKey.plaintext, path: '/v1/private-path' };
    const reply = await client.forwardAuth(question, { headers: caller.headers });
    expect(reply.status).toBe(403);
    await caller.received();
    const server = serverSpan(caller.spans());
    expect(server).toMatchObject({
      name: 'GET /rt/projects/{projectId}/forward-auth',
      parentSpanId: caller.spanId,
      attributes: {
        'http.response.status_code': 403,
        'ceiba.project.id': project.projectId,
        'ceiba.decision.outcome': 'policy_no_match',
      },
    });
  });

  it('has a method of the closed set, whatever the gateway asks with', async () => {
    const { project } = await setUp();
    const caller = callerOf();
    const url = `${runtime.url}/rt/projects/${project.projectId}/forward-auth/v1/private-path`;
    await fetch(url, { method: 'PROPFIND', headers: caller.headers });
    await caller.received();
    const { name, attributes } = serverSpan(caller.spans());
    expect(name).toBe('HTTP /rt/projects/{projectId}/forward-auth');
    expect(attributes['http.request.method']).toBe('_OTHER');
  });
});

describe('the trace of a batch', () => {
  it('is one span, with an event per decision and each stage once', async () => {
    const { apiKey, client } = await setUp();
    const caller = callerOf();
    const allowed = { ...QUESTION, apiKey: apiKey.plaintext };
    const requests = [allowed, { ...QUESTION, apiKey: null }, {}, allowed];
    const reply = await client.authorizeBatch(requests, { headers: caller.headers });
    const { results } = reply.json as AuthorizeBatchResult;
    const ids = results.flatMap((it) => (it.status === 200 ? [it.decision.decisionId] : []));
    await caller.received();
    const server = serverSpan(caller.spans());
    const decided = (index: number, outcome: string) => ({
      name: 'ceiba.decision',
      atMs: expect.any(Number),
      attributes: { 'ceiba.decision.id': ids[index], 'ceiba.decision.outcome': outcome },
    });
    expect(server.name).toBe('POST /rt/projects/{projectId}/authorize/batch');
    expect(server.attributes).not.toHaveProperty('ceiba.decision.id');
    expect(server.events).toHaveLength(3);
    expect(server.events).toEqual(
      expect.arrayContaining([
        decided(0, 'allowed'),
        decided(1, 'missing_api_key'),
        decided(2, 'allowed'),
      ]),
    );
    const stages = childrenOf(caller.spans(), server).map(({ name }) => name);
    expect(stages).toEqual(['lookup', 'policies', 'charge', 'first use']);
  });
});

describe('the trace of a refused call', () => {
  it.each([
    [401, {}, { secret: 'wrong' }],
    [400, { method: 7 }, {}],
  ])('with %i has its status, no outcome and no error', async (status, question, options) => {
    const { client } = await setUp();
    const caller = callerOf();
    const reply = await client.authorize(question, { ...options, headers: caller.headers });
    expect(reply.status).toBe(status);
    await caller.received();
    const server = serverSpan(caller.spans());
    expect(server.attributes['http.response.status_code']).toBe(status);
    expect(server.attributes).not.toHaveProperty('ceiba.decision.outcome');
    expect(server.isError).toBe(false);
  });
});

describe('the trace of an outage', () => {
  it('is an error that names the class, and the stage that failed', async () => {
    const redis = await startTestRedis();
    const settings = { ...TRACED, DECISION_REDIS_BUDGET_MS: '200' };
    const lonely = await startRuntime({ databaseUrl, redisUrl: redis.url, settings });
    try {
      const { apiKey, client } = await setUp(lonely.url);
      redis.freeze();
      const caller = callerOf();
      const one = await client.authorize({ apiKey: apiKey.plaintext }, { headers: caller.headers });
      expect(one.status).toBe(503);
      const batched = callerOf();
      await client.authorizeBatch([{ ...QUESTION, apiKey: apiKey.plaintext }], {
        headers: batched.headers,
      });
      for (const { spans, received } of [caller, batched]) {
        await received();
        const server = serverSpan(spans());
        expect([server.isError, server.attributes['error.type']]).toEqual([true, 'redis']);
        const charge = childrenOf(spans(), server).find(({ name }) => name === 'charge');
        expect([charge?.isError, charge?.attributes['error.type']]).toEqual([true, 'redis']);
      }
    } finally {
      await lonely.stop();
      await redis.dispose();
    }
  });

  it('ends a stage that still waits when the answer leaves', async () => {
    const redis = await startTestRedis();
    const settings = { ...TRACED, DECISION_DEADLINE_MS: '150' };
    const lonely = await startRuntime({ databaseUrl, redisUrl: redis.url, settings });
    try {
      const { project, client } = await setUp(lonely.url);
      const { sql } = world.db;
      const caller = callerOf();
      // Proves the secret, so that the next call waits in its lookup.
      await client.authorize({ apiKey: null });
      await sql.begin(async (locked) => {
        await locked`lock table projects in access exclusive mode`;
        const reply = await client.authorize({ apiKey: 'any' }, { headers: caller.headers });
        expect(reply.status).toBe(503);
      });
      await caller.received();
      const server = serverSpan(caller.spans());
      const [lookup] = childrenOf(caller.spans(), server);
      expect(server.attributes).toMatchObject({ 'ceiba.project.id': project.projectId });
      expect(lookup).toMatchObject({ name: 'lookup', isError: true });
      expect(lookup?.endMs).toBeLessThanOrEqual(server.endMs);
      expect(['timeout', 'database']).toContain(lookup?.attributes['error.type']);
    } finally {
      await lonely.stop();
      await redis.dispose();
    }
  });
});

describe('a caller’s traceparent', () => {
  it('that is not sampled leaves no span', async () => {
    const { apiKey, client } = await setUp();
    const [unsampled, sampled] = [callerOf('00'), callerOf()];
    const ask = ({ headers }: typeof sampled) =>
      client.authorize({ apiKey: apiKey.plaintext }, { headers });
    expect((await ask(unsampled)).status).toBe(200);
    await ask(sampled);
    await sampled.received();
    expect(unsampled.spans()).toEqual([]);
  });

  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  it.each([
    ['nonsense'],
    [`00-${traceId}-${spanId}`],
    [`00-${traceId}-${spanId}-01-more`],
    [`00-${traceId.toUpperCase()}-${spanId}-01`],
    [`00-${'0'.repeat(32)}-${spanId}-01`],
    [`00-${traceId}-${'0'.repeat(16)}-01`],
    [`ff-${traceId}-${spanId}-01`],
    [`00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ])('that is malformed begins a new trace: %s', async (traceparent) => {
    const { project, client } = await setUp();
    await client.authorize({}, { headers: { traceparent } });
    await until('the span is received', () => ofProject(project.projectId).length > 0, SOON_MS);
    const [server] = ofProject(project.projectId);
    expect(server?.parentSpanId).toBe('');
    expect(server?.traceId).not.toBe(traceId);
  });

  it('that is absent is sampled as the variables say', async () => {
    const settings = { ...TRACED, OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
    const quiet = await startRuntime({ databaseUrl, redisUrl, settings });
    const { project, client } = await setUp(quiet.url);
    const caller = callerOf();
    await client.authorize({});
    await client.authorize({}, { headers: caller.headers });
    expect(await quiet.stop()).toBe('exited with code 0');
    expect(ofProject(project.projectId)).toHaveLength(1);
    expect(caller.spans().length).toBeGreaterThan(0);
  });

  it('that is not sampled counts for parent-based samplers alone', async () => {
    const settings = { ...TRACED, OTEL_TRACES_SAMPLER: 'always_on' };
    const eager = await startRuntime({ databaseUrl, redisUrl, settings });
    const { client } = await setUp(eager.url);
    const caller = callerOf('00');
    await client.authorize({}, { headers: caller.headers });
    expect(await eager.stop()).toBe('exited with code 0');
    expect(caller.spans().length).toBeGreaterThan(0);
  });
});

describe('what is exported', () => {
  it('holds no key, no secret, and nothing else that the caller chose', async () => {
    const { project, apiKey, client } = await setUp();
    const unknown = mintApiKey(randomBytes).plaintext;
    const canary = `canary${randomBytes(8).toString('hex')}`;
    const caller = callerOf();
    const headers = {
      ...caller.headers,
      tracestate: `vendor=${canary}`,
      baggage: `user=${canary}`,
      'x-request-id': canary,
      'user-agent': canary,
    };
    const ask = async (key: string, path: string) => {
      await client.authorize({ apiKey: key, path }, { headers });
      await client.authorizeBatch([{ apiKey: key, method: canary, path }], { headers });
      await client.forwardAuth({ apiKey: key, method: canary, path }, { headers });
      const below = `/rt/projects/${project.projectId}/forward-auth${path}`;
      await client.call('GET', below, { headers: { ...headers, 'x-api-key': key } });
      await client.authorize({ apiKey: key }, { headers, secret: unknown });
    };
    await ask(apiKey.plaintext, `/v1/reports/${canary}?key=${apiKey.plaintext}`);
    await ask(unknown, `/${unknown}`);
    await until(
      'all spans are received',
      () => ofProject(project.projectId).length === 10,
      SOON_MS,
    );
    const bytes = Buffer.concat(receiver.bodies).toString('latin1');
    expect(bytes).toContain(project.projectId);
    for (const text of [canary, apiKey.plaintext, unknown, project.secret]) {
      expect(bytes.includes(text.replace(/^ceiba_(secret_)?/, '').slice(8))).toBe(false);
    }
    const outcomes: readonly string[] = ['allowed', ...DENIAL_REASONS];
    for (const { attributes } of caller.spans()) {
      const outcome = attributes['ceiba.decision.outcome'];
      if (outcome !== undefined) expect(outcomes).toContain(outcome);
    }
    expect(receiver.headers.at(-1)).toMatchObject({ authorization: 'Bearer receiver-token' });
  });
});

describe('a Runtime that stops', () => {
  it.each([1, 2])('sends what it has traced before, with %i processes', async (workers) => {
    const settings = {
      ...TRACED,
      OTEL_BSP_SCHEDULE_DELAY: '60000',
      RUNTIME_WORKERS: `${workers}`,
    };
    const leaving = await startRuntime({ databaseUrl, redisUrl, settings });
    const { project, client } = await setUp(leaving.url);
    for (let asked = 0; asked < 8; asked += 1) await client.authorize({});
    expect(ofProject(project.projectId)).toEqual([]);
    expect(await leaving.stop()).toBe('exited with code 0');
    expect(ofProject(project.projectId)).toHaveLength(8);
  });
});

describe('a receiver that fails', () => {
  const problemsIn = (stdout: string) =>
    stdout.split('\n').filter((line) => line.includes('exporting traces is failing'));

  it.each(['never', 503, 'gone'] as const)(
    'with %s changes no decision and delays no stop, and the log reports it once',
    async (answer) => {
      const gone = await startOtlpReceiver();
      await gone.close();
      const endpoint = answer === 'gone' ? gone.url : receiver.url;
      const settings = {
        ...TRACED,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces`,
        OTEL_BSP_MAX_QUEUE_SIZE: '16',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '8',
      };
      const lonely = await startRuntime({ databaseUrl, redisUrl, settings });
      const { apiKey, client } = await setUp(lonely.url);
      if (answer !== 'gone') receiver.answer = answer;
      const ask = () => client.authorize({ apiKey: apiKey.plaintext });
      const statuses = await Promise.all(Array.from({ length: 40 }, ask));
      expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
      await until('the log reports it', () => problemsIn(lonely.stdout()).length > 0, SOON_MS);
      expect((await ask()).status).toBe(200);
      expect(await lonely.stop()).toBe('exited with code 0');
      expect(problemsIn(lonely.stdout())).toHaveLength(1);
      expect(lonely.stdout()).not.toContain('could not stop in time');
    },
  );
});

describe('a Runtime without the variables', () => {
  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    'or with %j sends nothing',
    async (off) => {
      const silent = await startRuntime({ databaseUrl, redisUrl, settings: { ...TRACED, ...off } });
      const { project, client } = await setUp(silent.url);
      await client.authorize({});
      await silent.stop();
      expect(ofProject(project.projectId)).toEqual([]);
    },
  );
});
