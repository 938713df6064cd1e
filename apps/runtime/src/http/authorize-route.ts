import type { IncomingMessage } from 'node:http';
import { type AuthorizeRequest, authorizeRequestSchema, type Decision } from '@ceiba/contract';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { digestOf } from '@ceiba/domain';
import { type AuthorizeDependencies, authorize } from '../authorize.ts';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { parseBody, type ReadBody, readJsonBody } from './body.ts';
import { TransportError, unauthorized } from './errors.ts';
import { parseUuid } from './parameters.ts';
import { type FaultLog, faultReply, jsonReply } from './replies.ts';
import { requestIdOf } from './request-id.ts';

export interface AuthorizeRouteOptions {
  dependencies: AuthorizeDependencies;
  faults: FaultLog;
  deadlineMs: number;
  maxInFlight: number;
}

const BODY_CAP_BYTES = 64 * 1024;

/**
 * The hot route. It is bare: no middleware, nothing set on the response after it was made.
 *
 * @returns answers one request; the answer is never later than the deadline
 */
export function createAuthorizeRoute(options: AuthorizeRouteOptions) {
  let inFlight = 0;
  return async (incoming: IncomingMessage, projectId: string): Promise<Response> => {
    const deadline = new Deadline(options.deadlineMs);
    const requestId = requestIdOf(incoming);
    if (inFlight >= options.maxInFlight) {
      const refusal = new UnavailableError('overload', 'too many in flight');
      return faultReply(refusal, requestId, options.faults);
    }
    inFlight += 1;
    try {
      const answer = answerQuestion(options.dependencies, incoming, projectId, deadline);
      // A body that was still on its way is the caller's doing, no outage.
      const inTime = deadline.race(() => (incoming.complete ? 'overload' : 'caller'), answer);
      return jsonReply(200, await inTime, requestId);
    } catch (fault) {
      return faultReply(fault, requestId, options.faults);
    } finally {
      inFlight -= 1;
    }
  };
}

async function answerQuestion(
  dependencies: AuthorizeDependencies,
  incoming: IncomingMessage,
  projectIdText: string,
  deadline: Deadline,
): Promise<Decision> {
  const projectId = parseUuid('projectId', projectIdText);
  const secret = incoming.headers[PROJECT_SECRET_HEADER];
  if (typeof secret !== 'string' || secret === '') throw unauthorized();
  const parsed = parseRequest(await readJsonBody(incoming, BODY_CAP_BYTES));
  const request = parsed instanceof TransportError ? null : parsed;
  const question = { projectId, secretDigest: digestOf(secret), request };
  const answer = await authorize(dependencies, question, deadline);
  switch (answer.kind) {
    case 'decided':
      return answer.decision;
    case 'wrong_secret':
      throw unauthorized();
    case 'invalid_request':
      throw parsed;
  }
}

/** The error is returned, since a wrong secret is reported before a wrong body. */
function parseRequest(body: ReadBody): AuthorizeRequest | TransportError {
  try {
    return parseBody(authorizeRequestSchema, body);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}
