import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  DENIAL_REASONS,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';
import { freePort } from '@ceiba/devstack/ports';
import {
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { afterAll, describe, expect, it } from 'vitest';
import { type Caller, callers } from '../../support/callers.ts';
import { Check, type CheckResponse } from '../../support/envoy.ts';
import { misjudged } from '../../support/judged-targets.ts';
import { risen, scrape } from '../../support/metrics.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startRuntime } from '../../support/runtime.ts';
import { startTestRedis } from '../../support/services.ts';
import { until } from '../../support/until.ts';
import { PATIENT, startWorld } from './setup.ts';

const program = fileURLToPath(new URL('../../../apps/runtime/dist/main.js', import.meta.url));
const [port, metricsPort] = [await freePort(), await freePort()];
const receiver = await startOtlpReceiver();
afterAll(() => receiver.close());
const { world, runtime, databaseUrl, redisUrl } = await startWorld({
  ...PATIENT,
  EXT_AUTHZ_PORT: String(port),
  METRICS_PORT: String(metricsPort),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  OTEL_BSP_SCHEDULE_DELAY: '50',
});
const clients: Client[] = [];
const connect = (to: number) => {
  const client = new Client(`127.0.0.1:${to}`, credentials.createInsecure());
  clients.push(client);
  return client;
};
const envoy = connect(port);

const project = await world.createProject();
const apiKey = await project.createKey();
const denials = await callers(world, project);
afterAll(() => {
  for (const client of clients) client.close();
});

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  of?: { projectId: string; secret: string };
  metadata?: [name: string, value: string][];
  through?: Client;
  deadlineMs?: number;
  /** Of the route in Envoy's configuration. */
  extensions?: Record<string, string>;
}

function start(
  { method = 'GET', path = '/v1/reports', headers, of = project, ...asked }: Asked,
  done: (error: ServiceError | null, response?: CheckResponse) => void,
): ClientUnaryCall {
  const sent = headers ?? { 'x-api-key': apiKey.plaintext };
  const metadata = new Metadata();
  for (const [name, value] of asked.metadata ?? [
    ['x-service-project-id', of.projectId],
    ['x-service-project-secret', of.secret],
  ]) {
    metadata.add(name, value);
  }
  const { path: address, requestSerialize, responseDeserialize } = Check;
  return (asked.through ?? envoy).makeUnaryRequest(
    address,
    requestSerialize,
    responseDeserialize,
    {
      attributes: {
        request: { http: { method, path, headers: sent } },
        context_extensions: asked.extensions ?? {},
      },
    },
    metadata,
    { deadline: Date.now() + (asked.deadlineMs ?? 10_000) },
    done,
  );
}

const check = (asked: Asked = {}) =>
  new Promise<CheckResponse>((resolve, reject) => {
    start(asked, (error, response) => (response ? resolve(response) : reject(error)));
  });

const valuesOf = (headers: readonly { header: { key: string; value: string } }[] = []) =>
  Object.fromEntries(headers.map(({ header }) => [header.key, header.value]));

describe('an allow', () => {
  it('is an OK with the identity for the upstream and the limits for the caller', async () => {
    const { status, ok_response: ok, denied_response: denied } = await check();
    expect(status.code).toBe(0);
    expect(denied).toBeUndefined();
    expect(valuesOf(ok?.headers)).toMatchObject({
      'x-ceiba-project-id': project.projectId,
      'x-ceiba-key-id': apiKey.apiKeyId,
      'x-ceiba-plan-id': project.plan.planId,
      'x-ceiba-policy-id': expect.any(String),
      'x-ceiba-decision-id': expect.any(String),
    });
    expect(Object.keys(valuesOf(ok?.response_headers_to_add)).sort()).toEqual([
      'ratelimit',
      'ratelimit-policy',
    ]);
  });

  it('takes the place of every identity that the caller claims', async () => {
    const claimed = { 'x-ceiba-key-id': 'evil', x_ceiba_key_id: 'evil', 'x-ceiba-role': 'admin' };
    const { ok_response: ok } = await check({
      headers: { authorization: `Bearer ${apiKey.plaintext}`, ...claimed },
    });
    expect(valuesOf(ok?.headers)['x-ceiba-key-id']).toBe(apiKey.apiKeyId);
    expect(ok?.headers_to_remove.sort()).toEqual(['x-ceiba-role', 'x_ceiba_key_id']);
  });

  it('names the customer of the key, whatever the caller claims', async () => {
    const { customerId, externalId } = await project.createCustomer();
    const { plaintext } = await project.createKey({ customerId });
    const claimed = { 'x-ceiba-customer-id': 'evil', 'x-ceiba-customer-external-id': 'evil' };
    const named = await check({ headers: { 'x-api-key': plaintext, ...claimed } });
    expect(valuesOf(named.ok_response?.headers)).toMatchObject({
      'x-ceiba-customer-id': customerId,
      'x-ceiba-customer-external-id': encodeURIComponent(externalId),
    });
    const alone = await check({ headers: { 'x-api-key': apiKey.plaintext, ...claimed } });
    expect(valuesOf(alone.ok_response?.headers)).not.toHaveProperty('x-ceiba-customer-id');
    expect(alone.ok_response?.headers_to_remove.sort()).toEqual(Object.keys(claimed).sort());
  });

  it('costs what the route of Envoy says, and no header of the caller', async () => {
    const own = await world.createProject({ plan: { monthlyQuota: 100 } });
    const headers = { 'x-api-key': (await own.createKey()).plaintext, cost: '0', 'x-cost': '0' };
    const left = async (extensions: Record<string, string> = {}) => {
      const { ok_response: ok } = await check({
        of: own,
        headers,
        extensions,
        path: '/v1/reports?cost=0',
      });
      return Number(
        /"month";r=(\d+)/.exec(valuesOf(ok?.response_headers_to_add).ratelimit ?? '')?.[1],
      );
    };
    expect(await left()).toBe(99);
    expect(await left({ cost: '25' })).toBe(74);
    expect(await left({ cost: '0', other: 'x' })).toBe(74);
  });

  it.each(['', 'a lot', '1.5', '-1', '1000001'])(
    'is none where the route of Envoy says the cost is %j, and the log says what to correct',
    async (cost) => {
      const { denied_response: denied } = await check({ extensions: { cost } });
      expect([denied?.status.code, JSON.parse(denied?.body ?? '').error]).toEqual([
        503,
        'service_unavailable',
      ]);
      await expect.poll(() => runtime.stdout()).toMatch(/context_extensions.*correct its/);
    },
  );

  it('never comes from a header that names another request', async () => {
    const headers = {
      'x-api-key': apiKey.plaintext,
      'x-original-method': 'GET',
      'x-original-uri': '/v1/reports',
      ':path': '/v1/reports',
    };
    expect((await check({ path: '/v1/billing', headers })).denied_response?.status.code).toBe(403);
  });
});

describe('a trace', () => {
  const [ofEnvoy, ofCaller] = ['a', 'b'].map(
    (digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`,
  ) as [string, string];

  it.each([
    ['Envoy in the metadata', ofEnvoy, 'a'],
    ['the caller in the request, where Envoy has none', undefined, 'b'],
  ])('is that of %s', async (_name, sent, digit) => {
    const known: [string, string][] = [
      ['x-service-project-id', project.projectId],
      ['x-service-project-secret', project.secret],
    ];
    const metadata = sent === undefined ? known : [...known, ['traceparent', sent] as const];
    await check({
      path: '/v1/private-path',
      headers: { 'x-api-key': apiKey.plaintext, traceparent: ofCaller },
      metadata: metadata.map(([name, value]) => [name, value]),
    });
    const find = () =>
      receiver.spans.find(({ kind, traceId }) => kind === 'server' && traceId[0] === digit);
    await until('the span is received', () => find() !== undefined);
    expect(find()).toMatchObject({
      name: 'envoy.service.auth.v3.Authorization/Check',
      parentSpanId: digit.repeat(16),
      isError: false,
      attributes: {
        'rpc.system': 'grpc',
        'rpc.service': 'envoy.service.auth.v3.Authorization',
        'rpc.method': 'Check',
        'http.response.status_code': 403,
        'ceiba.project.id': project.projectId,
        'ceiba.decision.id': expect.any(String),
        'ceiba.decision.outcome': 'policy_no_match',
      },
    });
    expect(Buffer.concat(receiver.bodies).includes('private-path')).toBe(false);
  });
});

const askedBy = ({ project: of, question: { apiKey: key, path } }: Caller): Asked => ({
  of,
  path,
  headers: key === null ? {} : { 'x-api-key': key },
});

describe('a denial', () => {
  it.each(DENIAL_REASONS)('%s has the status and the body of the SDK', async (reason) => {
    const {
      status,
      ok_response: ok,
      denied_response: denied,
    } = await check(askedBy(denials[reason]));
    expect(ok).toBeUndefined();
    const httpStatus = HTTP_STATUS_FOR_DENIAL[reason];
    expect(status.code).toBe({ 401: 16, 403: 7, 429: 8 }[httpStatus]);
    expect(denied?.status.code).toBe(httpStatus);
    expect(JSON.parse(denied?.body ?? '')).toMatchObject({
      error: HOST_ERROR_FOR_DENIAL[reason],
    });
    const headers = valuesOf(denied?.headers);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['www-authenticate']).toBe(httpStatus === 401 ? 'Bearer' : undefined);
    expect('retry-after' in headers).toBe(httpStatus === 429);
    expect(JSON.stringify(denied)).not.toMatch(
      /x-ceiba|"[^"]*(?<!service_)(?:revoked|archived|expired)_/,
    );
  });

  it('follows a request without a method or a path, even under a bare *', async () => {
    const of = await world.createProject({ policies: [{ method: '*', pathPattern: '*' }] });
    const headers = { 'x-api-key': (await of.createKey()).plaintext };
    expect((await check({ of, headers })).status.code).toBe(0);
    expect((await check({ of, headers, method: '' })).denied_response?.status.code).toBe(403);
  });

  it('is the verdict of the policies for hostile targets', async () => {
    const isAllowed = async (path: string) => (await check({ path })).status.code === 0;
    expect(await misjudged(isAllowed)).toEqual([]);
  });
});

it('counts each decision in the metrics once, by its outcome', async () => {
  const asked: Record<string, Asked> = { allowed: {} };
  for (const reason of DENIAL_REASONS) asked[reason] = askedBy(denials[reason]);
  const before = await scrape(metricsPort);
  const expected: Record<string, number> = {};
  for (const [index, [outcome, question]] of Object.entries(asked).entries()) {
    expected[outcome] = index + 1;
    for (let n = 0; n <= index; n += 1) await check(question);
  }
  // A mistake of the gateway, and of the caller's request: the first is no decision.
  await check({ of: { ...project, secret: 'ceiba_secret_wrong' } });
  await check({ method: '' });
  expected.policy_no_match = (expected.policy_no_match ?? 0) + 1;

  const after = await scrape(metricsPort);
  expect(risen(before, after, 'ceiba_decisions_total')).toEqual(expected);
  expect(risen(before, after, 'ceiba_decision_failures_total')).toEqual({});
  const rise = (series: string) => (after.of(series) ?? 0) - (before.of(series) ?? 0);
  expect(rise('ceiba_refused_secrets_total')).toBe(1);
  expect(rise('ceiba_unclear_requests_total')).toBe(1);
  const decided = Object.values(expected).reduce((sum, count) => sum + count);
  expect(rise('ceiba_decision_duration_seconds_count{stage="whole"}')).toBe(decided);
});

describe('a project secret that is missing or wrong', () => {
  it.each([
    ['missing', (id: string) => [['x-service-project-id', id]]],
    [
      'wrong',
      (id: string) => [
        ['x-service-project-id', id],
        ['x-service-project-secret', 'x'],
      ],
    ],
    ['without a project', (_: string, s: string) => [['x-service-project-secret', s]]],
    [
      'repeated',
      (id: string, s: string) => [
        ['x-service-project-id', id],
        ['x-service-project-secret', s],
        ['x-service-project-secret', s],
      ],
    ],
    [
      'of a project twice',
      (id: string, s: string) => [
        ['x-service-project-id', id],
        ['x-service-project-id', id],
        ['x-service-project-secret', s],
      ],
    ],
  ] as [string, (id: string, secret: string) => [string, string][]][])(
    '%s is a 503 that denies',
    async (_, metadata) => {
      const response = await check({ metadata: metadata(project.projectId, project.secret) });
      expect(response.status.code).toBe(14);
      expect(response.denied_response?.status.code).toBe(503);
    },
  );

  it('is not taken from the headers of the caller, and is in the log without its text', async () => {
    const headers = {
      'x-api-key': apiKey.plaintext,
      'x-service-project-id': project.projectId,
      'x-service-project-secret': project.secret,
    };
    expect((await check({ headers, metadata: [] })).denied_response?.status.code).toBe(503);
    await expect.poll(() => runtime.stdout()).toContain('refused a project secret');
    expect(runtime.stdout()).not.toContain(project.secret);
  });
});

describe('an outage', () => {
  it('is a 503 that denies, not an error of the call, which Envoy may let through', async () => {
    const redis = await startTestRedis();
    const otherPort = await freePort();
    const metricsOfIt = await freePort();
    const settings = { EXT_AUTHZ_PORT: String(otherPort), METRICS_PORT: String(metricsOfIt) };
    const alone = await startRuntime({ databaseUrl, redisUrl: redis.url, settings });
    const through = connect(otherPort);
    try {
      expect((await check({ through })).status.code).toBe(0);
      redis.freeze();
      const late = await check({ through });
      expect(late.denied_response?.status.code).toBe(503);
      const failures = (await scrape(metricsOfIt)).by('ceiba_decision_failures_total');
      expect(Object.values(failures).reduce((sum, count) => sum + count)).toBe(1);
      redis.thaw();
      await expect
        .poll(async () => (await check({ through })).status.code, { timeout: 10_000 })
        .toBe(0);
      await redis.kill();
      expect((await check({ through })).denied_response?.status.code).toBe(503);
    } finally {
      await alone.stop();
      await redis.dispose();
    }
    await expect(check({ through, deadlineMs: 2_000 })).rejects.toThrow();
  });

  it('is a 503 in the time that Envoy waits, where that is shorter than its own deadline', async () => {
    const redis = await startTestRedis();
    const otherPort = await freePort();
    const settings = { ...PATIENT, EXT_AUTHZ_PORT: String(otherPort) };
    const alone = await startRuntime({ databaseUrl, redisUrl: redis.url, settings });
    const through = connect(otherPort);
    try {
      expect((await check({ through })).status.code).toBe(0);
      redis.freeze();
      const late = await check({ through, deadlineMs: 3_000 });
      expect(late.denied_response?.status.code).toBe(503);
    } finally {
      await alone.stop();
      await redis.dispose();
    }
  });

  it('serves the next call after one that Envoy has cancelled', async () => {
    const cancelled = await new Promise((resolve) => {
      const call = start({}, (error) => resolve(error?.details));
      setImmediate(() => call.cancel());
    });
    expect(cancelled).toMatch(/cancel/i);
    expect((await check()).status.code).toBe(0);
  });
});

it('answers a call that is under way when the Runtime stops', async () => {
  const otherPort = await freePort();
  const settings = { ...PATIENT, EXT_AUTHZ_PORT: String(otherPort) };
  const alone = await startRuntime({ databaseUrl, redisUrl, settings });
  const through = connect(otherPort);
  expect((await check({ through })).status.code).toBe(0);
  const { sql } = world.db;
  const { answer, stopped } = await sql.begin(async (locked) => {
    await locked`lock table projects in access exclusive mode`;
    const underWay = check({ through });
    // Background work of a Runtime may wait too; decisions have connections of their own.
    const waiting = () => locked`
      select 1 from pg_locks join pg_stat_activity using (pid)
       where not granted and relation = 'projects'::regclass and application_name = 'ceiba-decisions'`;
    await until('the call waits', async () => (await waiting()).length > 0, 20_000);
    const stopping = alone.stop();
    await until('the Runtime stops', () => alone.stdout().includes('the Runtime stops'), 20_000);
    return { answer: underWay, stopped: stopping };
  });
  expect((await answer).status.code).toBe(0);
  expect(await stopped).toContain('code 0');
});

it('answers whichever worker accepts the connection', async () => {
  const otherPort = await freePort();
  const settings = { ...PATIENT, EXT_AUTHZ_PORT: String(otherPort), RUNTIME_WORKERS: '2' };
  const alone = await startRuntime({ databaseUrl, redisUrl, settings });
  try {
    const listening = () => alone.stdout().match(/the Runtime listens for Envoy/g);
    await expect.poll(listening, { timeout: 10_000 }).toHaveLength(2);
    const checks = Array.from({ length: 8 }, () => check({ through: connect(otherPort) }));
    const codes = (await Promise.all(checks)).map(({ status }) => status.code);
    expect(new Set(codes)).toEqual(new Set([0]));
  } finally {
    await alone.stop();
  }
});

it('is off, and its libraries are not loaded, without a port', async () => {
  const alone = await startRuntime({ databaseUrl, redisUrl });
  try {
    expect(alone.stdout()).not.toContain('listens for Envoy');
    const imports = readFileSync(program, 'utf8').match(/^(?:import|export) .*$/gm) ?? [];
    expect(imports.length).toBeGreaterThan(5);
    expect(imports.filter((line) => line.includes('@grpc'))).toEqual([]);
  } finally {
    await alone.stop();
  }
});
