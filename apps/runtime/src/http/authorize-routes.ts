import type { IncomingMessage } from 'node:http';
import {
  type AuthorizeBatchResult,
  authorizeBatchRequestSchema,
  authorizeRequestSchema,
  ERROR_MESSAGES,
  safeParse,
} from '@ceiba/contract';
import type { Answers, Asked } from '../decision/call.ts';
import { serve, serveOne } from '../decision/serve.ts';
import { invalidField, TransportError } from '../errors.ts';
import { parseBody, type ReadBody, readArrivedBody, readJsonBody } from './body.ts';
import { FORWARD } from './forward-auth.ts';
import { type HotRoute, type HotRouteOptions, serveHttp } from './hot-route.ts';
import { SMALL_BODY_BYTES } from './large-bodies.ts';
import { NO_QUERY, parseQuery } from './query.ts';
import { errorReply, jsonReply, type Reply } from './replies.ts';

const ONE: HotRoute = {
  path: '/rt/projects/{projectId}/authorize',
  kind: 'one',
  bodyCapBytes: SMALL_BODY_BYTES,
  read: (incoming) =>
    read(incoming, ONE.bodyCapBytes, (body) => [parseBody(authorizeRequestSchema, body)]),
  answer: async (room, call) => jsonReply(200, await serveOne(room, call), call.requestId),
  refuse: errorReply,
};
const BATCH: HotRoute = {
  path: '/rt/projects/{projectId}/authorize/batch',
  kind: 'batch',
  bodyCapBytes: 1024 * 1024,
  read: (incoming) =>
    read(incoming, BATCH.bodyCapBytes, (body) =>
      parseBody(authorizeBatchRequestSchema, body).requests.map(questionOf),
    ),
  async answer(room, call) {
    const results = (await serve(room, call)).map(resultOf);
    return jsonReply(200, { results } satisfies AuthorizeBatchResult, call.requestId);
  },
  refuse: errorReply,
};

/** Answers one call to a project's route; never rejects. */
type Serve = (incoming: IncomingMessage, projectId: string) => Promise<Reply>;

export type AuthorizeRoutes = Record<'authorize' | 'authorizeBatch' | 'forwardAuth', Serve>;

/**
 * The hot routes, for one question, for a batch and for gateways, without middleware.
 *
 * @returns a handler per route that answers each call by its deadline
 */
export function createAuthorizeRoutes(options: HotRouteOptions): AuthorizeRoutes {
  const of =
    (route: HotRoute): Serve =>
    (incoming, projectId) =>
      serveHttp(options, route, incoming, projectId);
  return { authorize: of(ONE), authorizeBatch: of(BATCH), forwardAuth: of(FORWARD) };
}

function read(
  incoming: IncomingMessage,
  capBytes: number,
  parse: (body: ReadBody) => Asked,
): Asked | Promise<Asked> {
  const body = readArrivedBody(incoming, capBytes);
  if (body !== null) return askedIn(incoming, body, parse);
  return readJsonBody(incoming, capBytes).then((late) => askedIn(incoming, late, parse));
}

/** The error is returned, since a wrong secret is reported before a wrong body or query. */
function askedIn(
  incoming: IncomingMessage,
  body: ReadBody,
  parse: (body: ReadBody) => Asked,
): Asked {
  try {
    // A question has no query. Few addresses have one, so most are not parsed.
    if (incoming.url?.includes('?')) parseQuery(NO_QUERY, incoming);
    return parse(body);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** A question of a batch, which fails alone. */
function questionOf(item: unknown, index: number) {
  const result = safeParse(authorizeRequestSchema, item);
  return result.success ? result.data : invalidField(result.error, ['requests', index]);
}

function resultOf(answer: Answers[number]): AuthorizeBatchResult['results'][number] {
  if (!(answer instanceof Error)) return { status: 200, decision: answer };
  if (!(answer instanceof TransportError)) {
    return { status: 503, error: 'unavailable', message: ERROR_MESSAGES.unavailable };
  }
  return { status: 400, error: answer.code, message: answer.message };
}
