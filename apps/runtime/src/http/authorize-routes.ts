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
  /** How many bytes of bodies may be in flight at a time. */
  maxBodyBytesInFlight: number;
  answer(call: IncomingCall): Promise<Reply>;
  /** The reply to an error, which it reports. */
  refuse(error: unknown, requestId: string, errors: ErrorLog): Reply;
}

const ONE: Route = {
  path: '/rt/projects/{projectId}/authorize',
  questions: 'one',
  bodyCapBytes: 64 * 1024,
  maxBodyBytesInFlight: Number.POSITIVE_INFINITY,
  answer: (call) => answerJson(ONE, answerOne, call),
  refuse: errorReply,
};
const BATCH: Route = {
  path: '/rt/projects/{projectId}/authorize/batch',
  questions: 'batch',
  bodyCapBytes: 1024 * 1024,
  maxBodyBytesInFlight: 64 * 1024 * 1024,
  answer: (call) => answerJson(BATCH, answerBatch, call),
  refuse: errorReply,
};
const FORWARD: Route = {
  path: '/rt/projects/{projectId}/forward-auth',
  questions: 'one',
  bodyCapBytes: 0,
  maxBodyBytesInFlight: Number.POSITIVE_INFINITY,
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
  const { errors, admission, pace, traces } = options;

  const serve = (route: Route): Serve => {
    let bodyBytesInFlight = 0;
    const answer = async (
      incoming: IncomingMessage,
      projectId: string,
      trace: DecisionTrace | null = null,
    ): Promise<Reply> => {
      const askedAtMs = performance.now();
      const deadline = new Deadline(options.deadlineMs);
      const requestId = requestIdOf(incoming);
      const announced = Number(incoming.headers['content-length'] ?? route.bodyCapBytes);
      const bodyBytes = Math.min(announced, route.bodyCapBytes);
      const hasRoom = bodyBytesInFlight + bodyBytes <= route.maxBodyBytesInFlight;
      const admitted = hasRoom ? admission.admit(projectId.toLowerCase()) : null;
      const countFailure = (error: unknown) => {
        options.failures.count(projectId, error);
        trace?.fail(error);
      };
      const refuse = (error: unknown) => {
        countFailure(error);
        return route.refuse(error, requestId, errors);
      };
      if (admitted === null) {
        await pace.turn();
        return refuse(OVERLOAD);
      }
      bodyBytesInFlight += bodyBytes;
      let wasDecided = false;
      const countAs = (decisions: number) => {
        if (!admitted.countAs(decisions)) throw OVERLOAD;
        options.onBatch?.(decisions);
      };
      try {
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
        if (error === OVERLOAD) await pace.turn();
        return refuse(error);
      } finally {
        admitted.leave(wasDecided);
        bodyBytesInFlight -= bodyBytes;
      }
    };
    if (traces === undefined) return (incoming, projectId) => answer(incoming, projectId);
    const answerTraced = async (
      incoming: IncomingMessage,
      projectId: string,
      trace: DecisionTrace,
    ) => {
      const reply = await answer(incoming, projectId, trace);
      trace.end(reply.status);
      return reply;
    };
    return (incoming, projectId) => {
      const trace = traceHttp(traces, route.path, incoming, projectId);
      return trace === null
        ? answer(incoming, projectId)
        : answerTraced(incoming, projectId, trace);
    };
  };
  return { authorize: serve(ONE), authorizeBatch: serve(BATCH), forwardAuth: serve(FORWARD) };
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
