import type { IncomingMessage } from 'node:http';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { digestOf } from '@ceiba/domain';
import type { AuthorizeDependencies } from '../authorize.ts';
import { Deadline } from '../deadline.ts';
import type { FailureCounter } from '../decision-log/failures.ts';
import type { DecisionTrace } from '../tracing/decision-trace.ts';
import { traceHttp } from '../tracing/trace-http.ts';
import type { Traces } from '../tracing/traces.ts';
import { OVERLOAD, type UnavailableError } from '../unavailable.ts';
import type { Admission } from './admission.ts';
import { type AuthorizeCall, answerBatch, answerOne } from './authorize-answers.ts';
import { readJsonBody } from './body.ts';
import type { ErrorLog } from './error-log.ts';
import { unauthorized } from './errors.ts';
import { answerForwardAuth, refuseForwardAuth } from './forward-auth.ts';
import type { IncomingCall } from './incoming-call.ts';
import type { Pace } from './pace.ts';
import { parseUuid } from './parameters.ts';
import { errorReply, jsonReply, type Reply } from './replies.ts';
import { requestIdOf } from './request-id.ts';

export interface AuthorizeRouteOptions {
  dependencies: AuthorizeDependencies;
  errors: ErrorLog;
  deadlineMs: number;
  admission: Admission;
  pace: Pick<Pace, 'turn'>;
  failures: Pick<FailureCounter, 'count'>;
  /** Called with the number of questions of each batch that is admitted. */
  onBatch?: (questions: number) => void;
  /** Absent where no traces are exported. */
  traces?: Traces | undefined;
}

interface Route {
  /** The template of its address. */
  path: string;
  questions: 'one' | 'batch';
  /** 0 where the body is not read. */
  bodyCapBytes: number;
  answer(call: IncomingCall): Promise<Reply>;
  /** The reply to an error, which it reports. */
  refuse(error: unknown, requestId: string, errors: ErrorLog): Reply;
}

/** Bodies up to this size are not counted while they are on their way. */
const SMALL_BODY_BYTES = 64 * 1024;

const ONE: Route = {
  path: '/rt/projects/{projectId}/authorize',
  questions: 'one',
  bodyCapBytes: SMALL_BODY_BYTES,
  answer: (call) => answerJson(ONE, answerOne, call),
  refuse: errorReply,
};
const BATCH: Route = {
  path: '/rt/projects/{projectId}/authorize/batch',
  questions: 'batch',
  bodyCapBytes: 1024 * 1024,
  answer: (call) => answerJson(BATCH, answerBatch, call),
  refuse: errorReply,
};
const FORWARD: Route = {
  path: '/rt/projects/{projectId}/forward-auth',
  questions: 'one',
  bodyCapBytes: 0,
  answer: answerForwardAuth,
  refuse: refuseForwardAuth,
};

/** Answers one call to a project's route; never rejects. */
type Serve = (incoming: IncomingMessage, projectId: string) => Promise<Reply>;

export type AuthorizeRoutes = Record<'authorize' | 'authorizeBatch' | 'forwardAuth', Serve>;

/**
 * The hot routes, for one question, for a batch and for gateways, without middleware. They share
 * the admission.
 *
 * @returns a handler per route that answers each call by its deadline
 */
export function createAuthorizeRoutes(options: AuthorizeRouteOptions): AuthorizeRoutes {
  const { traces } = options;
  const serve = (route: Route): Serve => {
    if (traces === undefined) {
      return (incoming, projectId) => serveCall(options, route, incoming, projectId, null);
    }
    return async (incoming, projectId) => {
      const trace = traceHttp(traces, route.path, incoming, projectId);
      const reply = await serveCall(options, route, incoming, projectId, trace);
      trace?.end(reply.status);
      return reply;
    };
  };
  return { authorize: serve(ONE), authorizeBatch: serve(BATCH), forwardAuth: serve(FORWARD) };
}

/** Admits a call and answers it by its deadline, or refuses it; never rejects. */
async function serveCall(
  options: AuthorizeRouteOptions,
  route: Route,
  incoming: IncomingMessage,
  projectId: string,
  trace: DecisionTrace | null,
): Promise<Reply> {
  const askedAtMs = performance.now();
  const deadline = new Deadline(options.deadlineMs);
  const requestId = requestIdOf(incoming);
  const { errors } = options;
  const bodyBytes = largeBodyOf(incoming, route);
  const admitted = options.admission.admit(projectId.toLowerCase(), bodyBytes);
  const countFailure = (error: unknown) => {
    options.failures.count(projectId, error);
    trace?.fail(error);
  };
  const countAs = (decisions: number) => {
    if (!admitted?.countAs(decisions)) throw OVERLOAD;
    options.onBatch?.(decisions);
  };
  let wasDecided = false;
  try {
    if (admitted === null) throw OVERLOAD;
    const asked = { requestId, askedAtMs };
    const dependencies =
      trace?.watch(options.dependencies, route.questions) ?? options.dependencies;
    const call = {
      dependencies,
      incoming,
      projectId,
      asked,
      deadline,
      countAs,
      countFailure,
      errors,
    };
    // A body that has not arrived completely is the caller's delay, not an outage.
    const waitsForBody = () => route.bodyCapBytes > 0 && !incoming.complete;
    const blame = () => (waitsForBody() ? 'caller' : 'overload');
    const reply = await deadline.race(blame, route.answer(call));
    wasDecided = true;
    return reply;
  } catch (error) {
    if (error === OVERLOAD) await options.pace.turn();
    countFailure(error);
    return route.refuse(error, requestId, errors);
  } finally {
    admitted?.leave(wasDecided);
  }
}

/** How many bytes of a body count while it is on its way: as many as are read of a large one. */
function largeBodyOf({ headers }: IncomingMessage, { bodyCapBytes }: Route): number {
  if (bodyCapBytes <= SMALL_BODY_BYTES) return 0;
  const bytes = Math.min(Number(headers['content-length'] ?? bodyCapBytes), bodyCapBytes);
  return bytes > SMALL_BODY_BYTES ? bytes : 0;
}

async function answerJson(
  route: Route,
  answer: (call: AuthorizeCall) => Promise<unknown>,
  call: IncomingCall,
): Promise<Reply> {
  // By name: V8 makes a slow object of the rest of another one, and of what is spread from it.
  const { incoming, asked, errors, countFailure, dependencies, deadline, countAs } = call;
  const { requestId, askedAtMs } = asked;
  const projectId = parseUuid('projectId', call.projectId);
  const secret = incoming.headers[PROJECT_SECRET_HEADER];
  if (typeof secret !== 'string' || secret === '') throw unauthorized();
  const body = await readJsonBody(incoming, route.bodyCapBytes);
  const asker = { projectId, secretDigest: digestOf(secret), requestId, askedAtMs };
  const reportOutage = (error: UnavailableError) => {
    countFailure(error);
    errors.report(error, requestId);
  };
  const answered = await answer({ dependencies, asker, body, deadline, countAs, reportOutage });
  return jsonReply(200, answered, requestId);
}
