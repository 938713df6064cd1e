import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readCredential } from '@ceiba/contract/credential';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import type { Metadata, Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { Deadline } from '../deadline.ts';
import type { Call } from '../decision/call.ts';
import { type Room, serveOne } from '../decision/serve.ts';
import type { ErrorLog } from '../error-log.ts';
import { answerToDecision, noVerdict } from '../gateways/answer.ts';
import { questionOf } from '../gateways/question.ts';
import { requestIdOf } from '../request-id.ts';
import type { StopTimes } from '../stop-times.ts';
import type { DecisionTrace } from '../tracing/decision-trace.ts';
import { projectIn } from '../tracing/trace-http.ts';
import type { Traces } from '../tracing/traces.ts';
import {
  type CheckedRequest,
  type CheckRequest,
  checkResponseOf,
  readCheckRequest,
} from './messages.ts';

export interface ExtAuthzOptions extends Room {
  errors: Pick<ErrorLog, 'report' | 'reportGatewayMistake'>;
  /** Absent where no traces are exported. */
  traces?: Traces | undefined;
  deadlineMs: number;
  maxDecisions: number;
}

export interface ExtAuthz {
  /** Keeps serving for the delay, then answers what is under way and closes all connections. */
  stop(times: StopTimes): Promise<void>;
}

const SERVICE = 'envoy.service.auth.v3.Authorization';
/** Names the project in the metadata of a call, beside `x-service-project-secret`. */
const PROJECT_ID = 'x-service-project-id';
const TRACEPARENT = 'traceparent';
/** Envoy may send a part of the body, which is not read. In bytes. */
const MESSAGE_BYTES_MAX = 1024 * 1024;
/** Of Envoy's deadline: 20 ms of the 200 that it has by default. */
const WAY_BACK_PART = 1 / 10;

/**
 * Listens for Envoy's external authorization over gRPC. The libraries are loaded here, so that a
 * Runtime without it pays nothing.
 *
 * @throws Error when it cannot listen
 */
export async function openExtAuthz(
  address: { host: string; port: number },
  options: ExtAuthzOptions,
): Promise<ExtAuthz> {
  const { Server, ServerCredentials } = await import('@grpc/grpc-js');
  const { loadSync } = await import('@grpc/proto-loader');
  const file = fileURLToPath(new URL('./ext-authz.proto', import.meta.url));
  const service = loadSync(file, { keepCase: true, defaults: true })[SERVICE];
  if (service === undefined || 'format' in service) throw new Error(`${file} lacks ${SERVICE}`);
  const server = new Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_concurrent_streams': options.maxDecisions,
  });
  server.addService(service, {
    Check(call: ServerUnaryCall<CheckRequest, object>, callback: sendUnaryData<object>) {
      void answerCheck(options, call).then((response) => callback(null, response));
    },
  });
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`${host}:${address.port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return { stop: (times) => drain(server, times) };
}

/** Answers one call; never rejects. */
async function answerCheck(
  options: ExtAuthzOptions,
  call: ServerUnaryCall<CheckRequest, object>,
): Promise<object> {
  const { metadata } = call;
  const checked = readCheckRequest(call.request);
  const trace = traceCheck(options, metadata, checked);
  const asked: Call = {
    projectId: textOf(metadata, PROJECT_ID),
    secret: textOf(metadata, PROJECT_SECRET_HEADER),
    peer: addressOf(call.getPeer()),
    userAgent: textOf(metadata, 'user-agent') || undefined,
    requestId: requestIdOf({ headers: { 'x-request-id': headerOf(checked, 'x-request-id') } }),
    askedAtMs: performance.now(),
    deadline: new Deadline(Math.min(options.deadlineMs, remainingMsOf(call))),
    kind: 'one',
    bodyBytes: 0,
    read: () => questionOf(readCredential(checked.rawHeaders), checked.original, checked.cost),
    tooSlow: 'overload',
    trace,
  };
  const answer = await serveOne(options, asked).then(
    (decision) => answerToDecision(asked.projectId, decision),
    (error: unknown) => noVerdict(error, asked.requestId, options.errors),
  );
  trace?.end(answer.status);
  return checkResponseOf(answer, checked);
}

/** Envoy sends its own span in the metadata, where it traces; the caller's is in the request. */
function traceCheck(
  { traces }: ExtAuthzOptions,
  metadata: Metadata,
  checked: CheckedRequest,
): DecisionTrace | null {
  if (traces === undefined) return null;
  const traceparent = textOf(metadata, TRACEPARENT) || headerOf(checked, TRACEPARENT);
  const trace = traces.begin(`${SERVICE}/Check`, traceparent);
  const rpc = { 'rpc.system': 'grpc', 'rpc.service': SERVICE, 'rpc.method': 'Check' };
  trace?.describe({ ...rpc, ...projectIn(textOf(metadata, PROJECT_ID)) });
  return trace;
}

/**
 * Until Envoy's own deadline, in ms, without the time for the way back: past it nothing must be charged,
 * and an answer is none, so that `failure_mode_allow` decides.
 */
function remainingMsOf(call: ServerUnaryCall<CheckRequest, object>): number {
  const at = call.getDeadline();
  return ((at instanceof Date ? at.getTime() : at) - Date.now()) * (1 - WAY_BACK_PART);
}

/**
 * Empty where it is absent. HTTP/2 joins a repeated value with a comma, and the joined text is neither
 * an ID nor a secret.
 */
function textOf(metadata: Metadata, name: string): string {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : '';
}

/** The address of `address:port`. */
const addressOf = (peer: string) => peer.replace(/:\d+$/, '');

/** The first value of a header that Envoy's caller sent. */
function headerOf({ rawHeaders }: CheckedRequest, name: string): string | undefined {
  const at = rawHeaders.findIndex((other, index) => index % 2 === 0 && other === name);
  return at === -1 ? undefined : rawHeaders[at + 1];
}

async function drain(server: Server, { delayMs, drainMs }: StopTimes): Promise<void> {
  await pause(delayMs);
  const rest = setTimeout(() => server.forceShutdown(), drainMs);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(rest);
}
