import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { newUuid } from '../new-uuid.ts';
import type { createApp } from './app.ts';
import { errorBody, invalidRequest } from './errors.ts';
import { type FaultLog, faultReply } from './replies.ts';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

/** The app behind a server of Node's, which answers in one shape also what never reaches a route. */
export function createHttpServer(app: ReturnType<typeof createApp>, faults: FaultLog): Server {
  const errorHandler = (fault: unknown) => {
    const isTheirs = fault instanceof RequestError;
    const told = isTheirs ? invalidRequest('The address or the host is not valid.') : fault;
    return faultReply(told, newUuid(), faults);
  };
  const fetch: Parameters<typeof getRequestListener>[0] = (request, bindings) => {
    const { incoming } = bindings as HttpBindings;
    if (hasDotSegment(incoming.url ?? '')) {
      const refusal = invalidRequest('The address has a dot segment.');
      return faultReply(refusal, requestIdOf(incoming), faults);
    }
    return app.fetch(request, bindings);
  };
  const answer = getRequestListener(fetch, { errorHandler });
  const server = createServer(OPTIONS, (incoming, outgoing) => {
    // HTTP/1.0 has no Host, and some health checks speak it.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= 'localhost';
    return answer(incoming, outgoing);
  });
  server.on('clientError', refuse);
  return server;
}

const OPTIONS: ServerOptions = {
  /** The listener asks for a host as well, and its refusal has our shape. */
  requireHostHeader: false,
  /** In ms: longer than clients keep an idle connection, so that it is they who close it. */
  keepAliveTimeout: 65_000,
  /** In ms, for the whole of a request; looked at every second. */
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
};

/** Whoever stands in front may judge addresses by their text, so none is repaired here. */
const hasDotSegment = (target: string) => /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(target);

const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** Answers bytes that are no HTTP; where the next request would begin is unknown, so it is the last. */
function refuse(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const reason = REASONS[fault.code ?? ''] ?? 'The request is not valid HTTP.';
  const requestId = newUuid();
  const { status, body } = errorBody('invalid_request', reason, requestId);
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
