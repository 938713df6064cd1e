import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CeibaRuntimeClient } from '@ceiba/sdk';
import { context, propagation, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../examples/express-api/src/app.mjs';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../support/otlp-receiver.ts';
import type { TestProject } from '../support/scenario.ts';
import { until } from '../support/until.ts';
import { ADAPTERS, hostOf } from './support/hosts.ts';
import { type RealRuntime, startRealRuntime } from './support/real-runtime.ts';
import { builtSdk, clientOf, loadSdk, type Sdk } from './support/sdk.ts';

/*
 * A decision is a part of the trace of the request that a host serves: the Runtime's span, as a
 * collector gets it, has the parent that the host sent.
 */

const SOON_MS = 20_000;
let sdk: Sdk;
let receiver: OtlpReceiver;
let runtime: RealRuntime;
let project: TestProject;
let apiKey: string;
let client: CeibaRuntimeClient;

beforeAll(async () => {
  sdk = await loadSdk();
  receiver = await startOtlpReceiver();
  runtime = await startRealRuntime(undefined, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    DECISION_DEADLINE_MS: '8000',
    DECISION_DATABASE_BUDGET_MS: '5000',
    DECISION_REDIS_BUDGET_MS: '5000',
  });
  project = await runtime.world.createProject();
  apiKey = (await project.createKey()).plaintext;
  client = clientOf(sdk, runtime.url, project);
}, 60_000);
afterAll(async () => {
  client.close();
  await runtime.close();
  await receiver.close();
});

const hex = (bytes: number) =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** A caller's own span, as its request names it. */
function callerOf(flags = '01') {
  const [traceId, spanId] = [hex(16), hex(8)];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

const callWith = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/reports`, { headers: { 'x-api-key': apiKey, ...headers } });

/** The Runtime's span of a trace, once it is received. */
async function decisionIn(traceId: string): Promise<ReceivedSpan> {
  const find = () =>
    receiver.spans.find((span) => span.traceId === traceId && span.kind === 'server');
  await until('the span is received', () => find() !== undefined, SOON_MS);
  return find()!;
}

describe('without OpenTelemetry', () => {
  it.each(Object.entries(ADAPTERS))('%s passes on the trace of a request', async (_name, start) => {
    const host = await start(sdk, { client, projectId: client.projectId });
    try {
      const caller = callerOf();
      expect((await callWith(host.url, { traceparent: caller.traceparent })).status).toBe(200);
      const decision = await decisionIn(caller.traceId);
      expect(decision.parentSpanId).toBe(caller.spanId);
      expect(decision.attributes['ceiba.decision.outcome']).toBe('allowed');
    } finally {
      await host.close();
    }
  });
});

/** The example, each of whose requests is a span of the host, as instrumentation makes it. */
async function startTracedExample(tracer: Tracer) {
  const app = createApp({ client });
  const server: Server = createServer((incoming, outgoing) => {
    const parent = propagation.extract(context.active(), incoming.headers);
    tracer.startActiveSpan('GET /v1/reports', {}, parent, (span) => {
      outgoing.once('close', () => span.end());
      outgoing.setHeader('x-span', span.spanContext().spanId);
      outgoing.setHeader('x-trace', span.spanContext().traceId);
      app(incoming, outgoing);
    });
  });
  return hostOf(server.listen(0, '127.0.0.1'), []);
}

it('an agent that extends the headers of each request leaves those of the client', async () => {
  const script = fileURLToPath(new URL('support/instrumented-client.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, builtSdk]);
  const secret = { 'x-service-project-secret': 'a-secret', traceparent: expect.any(String) };
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ ...secret, 'content-type': 'application/json' }),
    expect.objectContaining(secret),
  ]);
});

describe('with OpenTelemetry', () => {
  const provider = new BasicTracerProvider();
  beforeAll(() => {
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });
  afterAll(() => {
    for (const api of [trace, context, propagation]) api.disable();
  });
  let host: Awaited<ReturnType<typeof startTracedExample>>;
  beforeAll(async () => {
    host = await startTracedExample(provider.getTracer('example'));
  });
  afterAll(() => host.close());

  it('a decision is a part of the span of its own request, alone and under load', async () => {
    const replies = await Promise.all(Array.from({ length: 60 }, () => callWith(host.url)));
    for (const { status, headers } of replies) {
      expect(status).toBe(200);
      const decision = await decisionIn(headers.get('x-trace')!);
      expect(decision.name).toBe('POST /rt/projects/{projectId}/authorize');
      expect(decision.parentSpanId).toBe(headers.get('x-span'));
    }
  });

  it('the caller, the host and the decision are one trace', async () => {
    const caller = callerOf();
    const { headers } = await callWith(host.url, { traceparent: caller.traceparent });
    const decision = await decisionIn(caller.traceId);
    expect(decision.parentSpanId).toBe(headers.get('x-span'));
    expect(decision.parentSpanId).not.toBe(caller.spanId);
  });

  it('a trace that the caller does not sample has no decision, alone or in a batch', async () => {
    const before = receiver.spans.length;
    const callers = Array.from({ length: 60 }, () => callerOf('00'));
    const replies = await Promise.all(
      callers.map(({ traceparent }) => callWith(host.url, { traceparent })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const last = callerOf();
    await callWith(host.url, { traceparent: last.traceparent });
    await decisionIn(last.traceId);
    const since = new Set(receiver.spans.slice(before).map(({ traceId }) => traceId));
    expect(since).toEqual(new Set([last.traceId]));
  });
});
