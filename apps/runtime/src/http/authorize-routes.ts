import type { IncomingMessage } from 'node:http';
import { Deadline } from '../deadline.ts';
import type { AuthorizeDependencies } from '../decision/authorize.ts';
import type { Entrance, Share } from '../decision/entrance.ts';
import type { ErrorLog } from '../error-log.ts';
import { TransportError } from '../errors.ts';
import { NO_QUERY, parseQuery } from '../parameters.ts';
import { requestIdOf } from '../request-id.ts';
import type { DecisionTrace } from '../tracing/decision-trace.ts';
import { traceHttp } from '../tracing/trace-http.ts';
import type { Traces } from '../tracing/traces.ts';
import type { UnavailableError } from '../unavailable.ts';
import {
  type AuthorizeCall,
  answerBatch,
  answerOne,
  orTransportError,
} from './authorize-answers.ts';
import { type ReadBody, readJsonBody } from './body.ts';
import { peerOf, secretOf } from './caller.ts';
import { answerForwardAuth, refuseForwardAuth } from './forward-auth.ts';
import type { IncomingCall } from './incoming-call.ts';
import { errorReply, jsonReply, type Reply } from './replies.ts';

export interface AuthorizeRouteOptions {
  dependencies: AuthorizeDependencies;
  errors: ErrorLog;
  deadlineMs: number;
  entrance: Pick<Entrance, 'answer'>;
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

/** Answers a call by its deadline, or refuses it; never rejects. */
async function serveCall(
  options: AuthorizeRouteOptions,
  route: Route,
  incoming: IncomingMessage,
  projectId: string,
  trace: DecisionTrace | null,
): Promise<Reply> {
  const { entrance, errors, deadlineMs } = options;
  const arrival = {
    projectId,
    secret: secretOf(incoming),
    peer: peerOf(incoming),
    userAgent: incoming.headers['user-agent'],
    requestId: requestIdOf(incoming),
    askedAtMs: performance.now(),
    deadline: new Deadline(deadlineMs),
    bodyBytes: largeBodyOf(incoming, route),
  };
  try {
    return await entrance.answer(arrival, (share) =>
      answerInShare(options, route, incoming, share, trace),
    );
  } catch (error) {
    trace?.fail(error);
    return route.refuse(error, arrival.requestId, errors);
  }
}

function answerInShare(
  { dependencies, errors, onBatch }: AuthorizeRouteOptions,
  route: Route,
  incoming: IncomingMessage,
  { asker, deadline, countAs, countFailure }: Share,
  trace: DecisionTrace | null,
): Promise<Reply> {
  const call = {
    dependencies: trace?.watch(dependencies, route.questions) ?? dependencies,
    incoming,
    asker,
    deadline,
    errors,
    countAs(decisions: number) {
      countAs(decisions);
      onBatch?.(decisions);
    },
    reportOutage(error: UnavailableError) {
      countFailure(error);
      trace?.fail(error);
      errors.report(error, asker.requestId);
    },
  };
  // A body that has not arrived completely is the caller's delay, not an outage.
  const waitsForBody = () => route.bodyCapBytes > 0 && !incoming.complete;
  const blame = () => (waitsForBody() ? 'caller' : 'overload');
  return deadline.race(blame, route.answer(call));
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
  const { incoming, asker, dependencies, deadline, countAs, reportOutage } = call;
  const body = queryRefusal(incoming) ?? (await readJsonBody(incoming, route.bodyCapBytes));
  const answered = await answer({ dependencies, asker, body, deadline, countAs, reportOutage });
  return jsonReply(200, answered, asker.requestId);
}

/** A question has no query. Few addresses have one, so most are not parsed. */
function queryRefusal(incoming: IncomingMessage): ReadBody | null {
  if (!incoming.url?.includes('?')) return null;
  const error = orTransportError(() => parseQuery(NO_QUERY, incoming));
  return error instanceof TransportError ? { kind: 'refused', error } : null;
}
