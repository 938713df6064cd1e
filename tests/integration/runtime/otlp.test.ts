/** The decision log as an OTLP exporter: what a receiver gets, and that no decision depends on it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Decision, decisionSchema } from '@ceiba/contract';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startRuntime } from '../../support/runtime.ts';
import { QUESTION, type RuntimeClient, runtimeClient } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import { PATIENT, startWorld } from './setup.ts';

const receiver = await startOtlpReceiver();
afterAll(() => receiver.close());
const { world, runtime, databaseUrl, redisUrl } = await startWorld({
  ...PATIENT,
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20receiver-token',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
});
const SOON_MS = 20_000;

beforeEach(() => {
  receiver.answer = 'at once';
});

const setUp = async (target = runtime) => {
  const project = await world.createProject();
  const apiKey = await project.createKey();
  return { project, apiKey, client: runtimeClient(target.url, project) };
};

const ask = async (client: RuntimeClient, apiKey: string | null, path: string = QUESTION.path) => {
  const reply = await client.authorize({ apiKey, path }, { headers: { 'x-request-id': 'host-7' } });
  return decisionSchema.parse(reply.json) as Decision;
};

const receivedOf = ({ decisionId }: Decision) =>
  receiver.logs.filter(({ attributes }) => attributes['ceiba.decision.id'] === decisionId);
const isReceived = (...decisions: Decision[]) =>
  until(
    'the receiver has the decisions',
    () => decisions.every((decision) => receivedOf(decision).length > 0),
    SOON_MS,
  );

const lostIn = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('decisions were not exported'))
    .map((line): number => JSON.parse(line).lost)
    .reduce((sum, lost) => sum + lost, 0);

describe('a receiver', () => {
  it('gets a denial once, with what the log keeps of it and no credential', async () => {
    const { project, apiKey, client } = await setUp();
    await project.setPlanLimits({ rateLimitPerMinute: 0 });
    const decision = await ask(client, apiKey.plaintext, `/v1/reports/${apiKey.plaintext}?page=1`);
    await isReceived(decision);
    expect(receivedOf(decision)).toEqual([
      {
        eventName: 'ceiba.decision',
        atMs: Number.parseInt(decision.decisionId.replace('-', '').slice(0, 12), 16),
        body: 'rate_limited GET /v1/reports/[redacted]',
        attributes: {
          'http.request.method': 'GET',
          'url.path': '/v1/reports/[redacted]',
          'ceiba.project.id': project.projectId,
          'ceiba.decision.id': decision.decisionId,
          'ceiba.decision.outcome': 'rate_limited',
          'ceiba.decision.latency_ms': expect.any(Number),
          'ceiba.request.id': 'host-7',
          'ceiba.api_key.id': apiKey.apiKeyId,
          'ceiba.api_key.prefix': apiKey.keyPrefix,
          'ceiba.policy.id': expect.any(String),
          'ceiba.limits.rate_per_minute': 0,
          'ceiba.limits.monthly_quota': expect.any(Number),
          'ceiba.limits.remaining_this_minute': 0,
          'ceiba.limits.remaining_this_month': expect.any(Number),
          'ceiba.exceeded_limit.owner': 'plan',
          'ceiba.exceeded_limit.window': 'minute',
          'ceiba.exceeded_limit.value': 0,
        },
        resource: expect.objectContaining({
          'service.name': 'ceiba-runtime',
          'deployment.environment.name': 'test',
        }),
      },
    ]);
    expect(receiver.headers.at(-1)).toMatchObject({ authorization: 'Bearer receiver-token' });
  });
});

describe('a Runtime that stops', () => {
  it('sends what it has decided before', async () => {
    const settings = { ...PATIENT, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${receiver.url}/v1/logs` };
    const leaving = await startRuntime({ databaseUrl, redisUrl, settings });
    const { client } = await setUp(leaving);
    const decision = await ask(client, null);
    expect(await leaving.stop()).toBe('exited with code 0');
    expect(receivedOf(decision)).toHaveLength(1);
  });
});

describe('a receiver that fails', () => {
  it.each(['never', 503, 400] as const)(
    'with %s changes no decision, and its losses are counted',
    async (answer) => {
      const settings = {
        ...PATIENT,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      };
      const lonely = await startRuntime({ databaseUrl, redisUrl, settings });
      try {
        const { project, apiKey, client } = await setUp(lonely);
        receiver.answer = answer;
        const denied = await ask(client, null);
        expect(denied.allowed).toBe(false);
        await until('the loss is in the log', () => lostIn(lonely.stdout()) >= 1, SOON_MS);
        await until('the failure is in the log', () =>
          lonely.stdout().includes('exporting the decision log is failing'),
        );
        expect((await ask(client, apiKey.plaintext)).allowed).toBe(true);
        receiver.answer = 'at once';
        await project.setLogging({ loggedAllowsPercent: 100 });
        const later = await ask(client, apiKey.plaintext);
        await isReceived(later);
        await until(
          'the table has the denial',
          async () => (await client.getDecision(denied.decisionId)).status === 200,
          SOON_MS,
        );
      } finally {
        await lonely.stop();
      }
    },
  );

  it('because it is down delays no stop, and the log says what was lost', async () => {
    const gone = await startOtlpReceiver();
    await gone.close();
    const settings = { ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: gone.url };
    const lonely = await startRuntime({ databaseUrl, redisUrl, settings });
    const { client } = await setUp(lonely);
    const denied = await ask(client, null);
    expect(denied.allowed).toBe(false);
    expect(await lonely.stop()).toBe('exited with code 0');
    expect(lostIn(lonely.stdout())).toBe(1);
  });
});

describe('a Runtime without the variables', () => {
  it('loads nothing of OpenTelemetry: the bundle imports it only where it is opened', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const bundle = readFileSync(join(root, 'apps/runtime/dist/main.js'), 'utf8');
    expect(bundle).toMatch(/await import\(\s*"@opentelemetry\//);
    expect(bundle).not.toMatch(/^import .*"@opentelemetry\//m);
    expect(bundle).not.toMatch(/require\("@opentelemetry\//);
  });

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_LOGS_EXPORTER: 'none' }])(
    'or with %j sends nothing',
    async (off) => {
      const settings = { ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...off };
      const silent = await startRuntime({ databaseUrl, redisUrl, settings });
      const { client } = await setUp(silent);
      const decision = await ask(client, null);
      await silent.stop();
      expect(receivedOf(decision)).toEqual([]);
    },
  );
});
