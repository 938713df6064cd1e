import {
  type AuthorizeBatchResult,
  type AuthorizeRequest,
  authorizeBatchRequestSchema,
  authorizeRequestSchema,
  type Decision,
  ERROR_MESSAGES,
} from '@ceiba/contract';
import type { Deadline } from '../deadline.ts';
import { type Asker, type AuthorizeDependencies, authorize } from '../decision/authorize.ts';
import { authorizeBatch } from '../decision/authorize-batch.ts';
import { invalidField, TransportError, unauthorized } from '../errors.ts';
import { UnavailableError } from '../unavailable.ts';
import { parseBody, type ReadBody, safeParse } from './body.ts';

/** A call whose body was read but not validated: a wrong secret is reported first. */
export interface AuthorizeCall {
  dependencies: AuthorizeDependencies;
  asker: Asker;
  body: ReadBody;
  deadline: Deadline;
  /** @throws UnavailableError where the Runtime has no room for this many decisions */
  countAs(decisions: number): void;
  reportOutage(error: UnavailableError): void;
}

/** @throws TransportError for a wrong secret, then for a wrong body; UnavailableError for any outage */
export async function answerOne(call: AuthorizeCall): Promise<Decision> {
  const { dependencies, asker, body, deadline } = call;
  const request = orTransportError(() => parseBody(authorizeRequestSchema, body));
  const answer = await authorize(dependencies, asker, orNull(request), deadline);
  switch (answer.kind) {
    case 'decided':
      return answer.decision;
    case 'wrong_secret':
      throw unauthorized();
    case 'invalid_request':
      throw request;
  }
}

/**
 * One result per request, in order. An invalid request fails alone.
 *
 * @throws as {@link answerOne}, for errors of the whole batch
 */
export async function answerBatch(call: AuthorizeCall): Promise<AuthorizeBatchResult> {
  const { dependencies, asker, body, deadline } = call;
  const batch = orTransportError(() => parseBody(authorizeBatchRequestSchema, body));
  if (batch instanceof TransportError) {
    const { kind } = await authorize(dependencies, asker, null, deadline);
    throw kind === 'wrong_secret' ? unauthorized() : batch;
  }
  call.countAs(batch.requests.length);
  const requests = batch.requests.map((item, index) => {
    const result = safeParse(authorizeRequestSchema, item);
    return result.success ? result.data : invalidField(result.error, ['requests', index]);
  });
  const answer = await authorizeBatch(dependencies, asker, requests.map(orNull), deadline);
  if (answer.kind === 'wrong_secret') throw unauthorized();
  const results = requests.map((request, index): BatchResult => {
    const item = answer.answers[index];
    if (request instanceof TransportError) return refused(400, request.code, request.message);
    if (!item) throw new Error('a valid request of the batch has no answer');
    if (!(item instanceof UnavailableError)) return { status: 200, decision: item };
    call.reportOutage(item);
    return refused(503, 'unavailable', ERROR_MESSAGES.unavailable);
  });
  return { results };
}

type BatchResult = AuthorizeBatchResult['results'][number];

const refused = (status: 400 | 503, error: string, message: string) => ({ status, error, message });

const orNull = (request: AuthorizeRequest | TransportError) =>
  request instanceof TransportError ? null : request;

/** The error is returned, since a wrong secret is reported before a wrong body or query. */
export function orTransportError<T>(parse: () => T): T | TransportError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}
