import type { IncomingMessage } from 'node:http';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { digestOf } from '@ceiba/domain';
import type { Asker, AuthorizeDependencies } from '../authorize.ts';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import type { Admission } from './admission.ts';
import { type AuthorizeCall, answerBatch, answerOne } from './authorize-answers.ts';
import { readJsonBody } from './body.ts';
import { unauthorized } from './errors.ts';
import { parseUuid } from './parameters.ts';
import { type ErrorLog, errorReply, jsonReply, type Reply } from './replies.ts';
import { requestIdOf } from './request-id.ts';

export interface AuthorizeRouteOptions {
  dependencies: AuthorizeDependencies;
  errors: ErrorLog;
  deadlineMs: number;
  admission: Admission;
}

interface Route {
  bodyCapBytes: number;
  /** How many bytes of bodies may be in flight at a time. */
  maxBodyBytesInFlight: number;
  answer(call: AuthorizeCall): Promise<unknown>;
}

const ONE: Route = {
  bodyCapBytes: 64 * 1024,
  maxBodyBytesInFlight: Number.POSITIVE_INFINITY,
  answer: answerOne,
};
const BATCH: Route = {
  bodyCapBytes: 1024 * 1024,
  maxBodyBytesInFlight: 64 * 1024 * 1024,
  answer: answerBatch,
};

/** Answers one call to a project's route; never rejects. */
type Serve = (incoming: IncomingMessage, projectId: string) => Promise<Reply>;

export type AuthorizeRoutes = Record<'authorize' | 'authorizeBatch', Serve>;

/**
 * The hot routes, for one question and for a batch, without middleware. They share the
 * admission.
 *
 * @returns a handler per route that answers each call by its deadline
 */
export function createAuthorizeRoutes(options: AuthorizeRouteOptions): AuthorizeRoutes {
  const { dependencies, errors, admission } = options;

  const serve = (route: Route): Serve => {
    let bodyBytesInFlight = 0;
    return async (incoming, projectId) => {
      const askedAtMs = performance.now();
      const deadline = new Deadline(options.deadlineMs);
      const requestId = requestIdOf(incoming);
      const announced = Number(incoming.headers['content-length'] ?? route.bodyCapBytes);
      const bodyBytes = Math.min(announced, route.bodyCapBytes);
      const hasRoom = bodyBytesInFlight + bodyBytes <= route.maxBodyBytesInFlight;
      const admitted = hasRoom ? admission.admit(projectId.toLowerCase()) : null;
      if (admitted === null) return errorReply(OVERLOAD, requestId, errors);
      bodyBytesInFlight += bodyBytes;
      const countAs = (decisions: number) => {
        if (!admitted.countAs(decisions)) throw OVERLOAD;
      };
      try {
        const reportOutage = (error: UnavailableError) => errors.report(error, requestId);
        const asked = { requestId, askedAtMs };
        const call = { dependencies, incoming, projectId, asked, deadline, countAs, reportOutage };
        // A body that has not arrived completely is the caller's delay, not an outage.
        const blame = () => (incoming.complete ? 'overload' : 'caller');
        return jsonReply(200, await deadline.race(blame, answerCall(route, call)), requestId);
      } catch (error) {
        return errorReply(error, requestId, errors);
      } finally {
        admitted.leave();
        bodyBytesInFlight -= bodyBytes;
      }
    };
  };
  return { authorize: serve(ONE), authorizeBatch: serve(BATCH) };
}

/** One object for all refusals: capturing a stack costs more than the rest of a refusal. */
const OVERLOAD = new UnavailableError('overload', 'too many decisions in flight');

type IncomingCall = Omit<AuthorizeCall, 'asker' | 'body'> & {
  incoming: IncomingMessage;
  projectId: string;
  asked: Pick<Asker, 'requestId' | 'askedAtMs'>;
};

async function answerCall(
  route: Route,
  { incoming, projectId: text, asked, ...call }: IncomingCall,
) {
  const projectId = parseUuid('projectId', text);
  const secret = incoming.headers[PROJECT_SECRET_HEADER];
  if (typeof secret !== 'string' || secret === '') throw unauthorized();
  const body = await readJsonBody(incoming, route.bodyCapBytes);
  return route.answer({
    ...call,
    asker: { projectId, secretDigest: digestOf(secret), ...asked },
    body,
  });
}
