import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { RuntimeTransportError } from '../errors.ts';
import {
  type BaseHeaders,
  cancelled,
  type Exchange,
  type HttpAnswer,
  isAnswerEnough,
  type Transport,
  unreachable,
  watchForStop,
} from './transport.ts';

const CONNECTIONS_MAX = 256;

/** Sends HTTP/1.1 through `node:http` or `node:https` with its own keep-alive agent. */
export function createNodeTransport(baseUrl: string, baseHeaders: BaseHeaders): Transport {
  const url = new URL(baseUrl);
  const { request, Agent } = url.protocol === 'https:' ? https : http;
  const { hostname, port, protocol } = urlToHttpOptions(url);
  const prefix = url.pathname.replace(/\/+$/, '');
  const agent = new Agent({
    keepAlive: true,
    maxSockets: CONNECTIONS_MAX,
    timeout: IDLE_MS,
  });
  keepAsAnnounced(agent);
  const target = { agent, hostname, port, protocol };

  async function send(exchange: Exchange): Promise<HttpAnswer> {
    const { method, body, signal } = exchange;
    if (signal?.aborted) throw cancelled();
    const path = prefix + exchange.path;
    // An object: the instrumentation of tracers copies and extends headers as one, and a list would
    // lose their names.
    const headers =
      body === undefined
        ? { ...baseHeaders }
        : {
            ...baseHeaders,
            ...exchange.headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          };
    return exchangeOnce(request({ ...target, method, path, headers }), exchange);
  }
  return { send, close: () => agent.destroy() };
}

/*
 * An idle connection is closed before its server closes it: a question on a connection that the server
 * just closed is lost, and a charge is never sent twice. A Runtime announces how long it waits
 * (`Keep-Alive: timeout=65`). Who does not may be a server of Node, which waits 5 s.
 */
const IDLE_MS = 4_000;
const IDLE_MS_MAX = 60_000;
/** How much earlier than an announced end the connection is closed. */
const MARGIN_MS = 1_000;

const announced = new WeakMap<Socket, number>();

/** Node's agent uses what a server announces only to shorten its own timeout. */
function keepAsAnnounced(agent: http.Agent): void {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket: Socket) => {
    const isKept: unknown = keep(socket);
    const idleMs = announced.get(socket);
    if (idleMs !== undefined) socket.setTimeout(idleMs);
    return isKept;
  };
}

function idleMsOf({ headers }: http.IncomingMessage): number {
  const [, seconds] = /\btimeout=(\d+)/.exec(String(headers['keep-alive'])) ?? [];
  if (seconds === undefined) return IDLE_MS;
  return Math.min(Math.max(1_000 * Number(seconds) - MARGIN_MS, 1), IDLE_MS_MAX);
}

function exchangeOnce(request: http.ClientRequest, exchange: Exchange): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let response: http.IncomingMessage | undefined;
    let isSettled = false;
    const unwatch = watchForStop(exchange, stop);

    function settle(): void {
      isSettled = true;
      unwatch();
    }
    function answer(
      incoming: http.IncomingMessage,
      text: string,
      cutOff: HttpAnswer['cutOff'],
    ): void {
      if (isSettled) return;
      settle();
      const contentType = incoming.headers['content-type'] ?? '';
      resolve({ status: incoming.statusCode ?? 0, contentType, text, cutOff });
      if (cutOff !== null) request.destroy();
    }
    function stop(error: RuntimeTransportError): void {
      if (isSettled) return;
      if (response && isAnswerEnough(response.statusCode ?? 0, error)) {
        answer(response, '', 'broken');
        return;
      }
      settle();
      request.destroy();
      reject(error);
    }
    function onBroken(cause?: Error): void {
      if (!isSettled) stop(unreachable(cause));
    }

    // A server that switches protocols closes the request without an `error` event.
    request.on('error', onBroken).on('close', onBroken);
    request.on('response', (incoming) => {
      response = incoming;
      announced.set(incoming.socket, idleMsOf(incoming));
      incoming.on('error', onBroken);
      readBody(incoming, exchange.maxResponseBytes, (text, cutOff) =>
        answer(incoming, text, cutOff),
      );
    });
    request.end(exchange.body);
  });
}

function readBody(
  incoming: http.IncomingMessage,
  maxBytes: number,
  done: (text: string, cutOff: 'too_large' | null) => void,
): void {
  const chunks: Buffer[] = [];
  let received = 0;
  incoming.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) done('', 'too_large');
    else chunks.push(chunk);
  });
  incoming.on('end', () => {
    if (received <= maxBytes) done(Buffer.concat(chunks, received).toString('utf8'), null);
  });
}
