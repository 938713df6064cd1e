import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_MESSAGES, type RuntimeErrorCode } from '@ceiba/contract';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import type { ErrorLog } from '../error-log.ts';
import { errorBody, invalidRequest } from '../errors.ts';
import { newUuid } from '../new-uuid.ts';
import { REQUEST_ID_HEADER, requestIdOf } from '../request-id.ts';
import type { createApp } from './app.ts';
import type { AuthorizeRoutes } from './authorize-routes.ts';
import { splitForwardAuth } from './forward-auth.ts';
import { errorReply, send, toResponse } from './replies.ts';

/** Serves the app over HTTP. Requests that never reach a route get errors of the same shape. */
export function createHttpServer(
  app: ReturnType<typeof createApp>,
  authorizeRoutes: AuthorizeRoutes,
  errors: ErrorLog,
): Server {
  const errorHandler = (error: unknown) => {
    const isClientError = error instanceof RequestError;
    const reported = isClientError
      ? invalidRequest('The address or the host is not valid.')
      : error;
    return toResponse(errorReply(reported, newUuid(), errors));
  };
  const fetch: Parameters<typeof getRequestListener>[0] = (request, bindings) => {
    const { incoming } = bindings as HttpBindings;
    if (hasDotSegment(incoming.url ?? '')) {
      const refusal = invalidRequest('The address has a dot segment.');
      return toResponse(errorReply(refusal, requestIdOf(incoming), errors));
    }
    return app.fetch(request, bindings);
  };
  const answer = getRequestListener(fetch, { errorHandler });
  const server = createServer(OPTIONS, (incoming, outgoing) => {
    // Some health checks speak HTTP/1.0, which has no Host header.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    const hot = hotRouteOf(incoming);
    if (hot === null) return answer(incoming, outgoing);
    void authorizeRoutes[hot.route](incoming, hot.projectId).then((reply) => {
      if (!incoming.complete) outgoing.once('close', () => endUnlessComplete(incoming));
      send(outgoing, reply);
    });
  });
  server.on('clientError', refuse);
  return server;
}

/**
 * The addresses of decisions, as every client writes them. They skip Hono, which serves them in any
 * other spelling: with its own request, context and response a bare answer costs a fifth more.
 */
const HOT = /^\/rt\/projects\/([0-9a-fA-F-]{36})\/authorize(\/batch)?$/;

/**
 * The route that answers without Hono. A gateway's question may have any method and host, and below
 * its prefix any target, as the gateway's caller sent them.
 */
function hotRouteOf(
  incoming: IncomingMessage,
): { route: keyof AuthorizeRoutes; projectId: string } | null {
  const target = incoming.url ?? '';
  const [, projectId, batch] = isPlain(incoming) ? (HOT.exec(target) ?? []) : [];
  if (projectId !== undefined) {
    return { route: batch ? 'authorizeBatch' : 'authorize', projectId };
  }
  const forward = splitForwardAuth(target);
  return forward && { route: 'forwardAuth', projectId: forward.projectId };
}

/** A `POST` with a host that needs no further check. */
const isPlain = ({ method, headers }: IncomingMessage) =>
  method === 'POST' && PLAIN_HOST.test(headers.host ?? '');

/** Ports of four digits, and of five below 60,000: a pattern that needs no arithmetic for the others. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** How long the rest of a body may arrive after its answer, in ms; Hono's listener waits as long. */
const REST_MS = 500;

/** Ends a connection whose request was answered early and still sends its body. */
function endUnlessComplete(incoming: IncomingMessage): void {
  setTimeout(() => incoming.complete || incoming.socket.destroy(), REST_MS);
}

const OPTIONS: ServerOptions = {
  /** Hono's listener checks the host instead, so that the error has our shape. */
  requireHostHeader: false,
  /** In ms, for the whole request; checked every second. */
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
};

/** Dot segments are refused, not resolved: a proxy may have allowed the address as it was written. */
const hasDotSegment = (target: string) => /^[^?]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i.test(target);

const REFUSALS: Record<string, readonly [RuntimeErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', ERROR_MESSAGES.headers_too_large],
  ERR_HTTP_REQUEST_TIMEOUT: ['invalid_request', 'The request did not arrive in time.'],
};
const NOT_HTTP = ['invalid_request', 'The request is not valid HTTP.'] as const;

/** Answers a request that is not valid HTTP. Closes the connection: the next one could start anywhere. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [code, message] = REFUSALS[error.code ?? ''] ?? NOT_HTTP;
  const requestId = newUuid();
  const { status, body } = errorBody(code, message, requestId);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(text)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
  ].join('\r\n');
  socket.end(`${head}\r\n\r\n${text}`, () => socket.destroy());
}
