import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { RuntimeTransportError, type TransportFailure } from '../errors.ts';
import {
  type BaseHeaders,
  type Exchange,
  type HttpAnswer,
  isErrorStatus,
  type Transport,
} from './transport.ts';

/**
 * Idle connections are closed by this side after 4 s. Node servers close theirs after 5 s; a
 * request that meets a connection just closed is lost, and a charge is never sent twice.
 */
const IDLE_CONNECTION_MS = 4_000;
const MOST_CONNECTIONS = 256;

/** Speaks HTTP/1.1 through `node:http` or `node:https` over a keep-alive agent of its own. */
export function createNodeTransport(baseUrl: string, baseHeaders: BaseHeaders): Transport {
  const url = new URL(baseUrl);
  const { request, Agent } = url.protocol === 'https:' ? https : http;
  const { hostname, port, protocol } = urlToHttpOptions(url);
  const prefix = url.pathname.replace(/\/+$/, '');
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MOST_CONNECTIONS,
    timeout: IDLE_CONNECTION_MS,
  });
  const target = { agent, hostname, port, protocol };

  function send(exchange: Exchange): Promise<HttpAnswer> {
    const { method, body } = exchange;
    const headers =
      body === undefined
        ? baseHeaders
        : {
            ...baseHeaders,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          };
    return exchangeOnce(
      () => request({ ...target, method, path: prefix + exchange.path, headers }),
      exchange,
    );
  }
  return { send, close: () => agent.destroy() };
}

function exchangeOnce(
  open: () => http.ClientRequest,
  { body, timeoutMs, maxResponseBytes, signal }: Exchange,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new RuntimeTransportError('aborted', 'The call was cancelled'));
      return;
    }
    const request = open();
    let response: http.IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let received = 0;

    const onAbort = () => fail('aborted', 'The call was cancelled');
    const deadline = setTimeout(
      () => fail('timeout', `The Runtime gave no answer within ${timeoutMs} ms`),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });

    function settle(): void {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', onAbort);
    }

    function answer(from: http.IncomingMessage, whole: boolean): void {
      settle();
      resolve({
        status: from.statusCode ?? 0,
        contentType: from.headers['content-type'] ?? '',
        text: Buffer.concat(chunks, received).toString('utf8'),
        whole,
      });
      if (!whole) request.destroy();
    }

    function fail(failure: TransportFailure, message: string, cause?: Error): void {
      const isCut = response !== undefined && failure === 'unreachable';
      const isError = response !== undefined && isErrorStatus(response.statusCode ?? 0);
      if (response !== undefined && failure !== 'aborted' && (isCut || isError)) {
        answer(response, false);
        return;
      }
      settle();
      request.destroy();
      reject(new RuntimeTransportError(failure, message, undefined, cause && { cause }));
    }

    const onBroken = (cause: Error) => fail('unreachable', 'The Runtime cannot be reached', cause);
    request.on('error', onBroken);
    request.on('response', (incoming) => {
      response = incoming;
      incoming.on('error', onBroken);
      incoming.on('data', (chunk: Buffer) => {
        if (received + chunk.length > maxResponseBytes) {
          answer(incoming, false);
          return;
        }
        received += chunk.length;
        chunks.push(chunk);
      });
      incoming.on('end', () => answer(incoming, true));
    });
    request.end(body);
  });
}
