import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import type { AccessOptions } from '@ceiba/sdk';
import { serve } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance } from 'fastify';
import fastify4 from 'fastify4';
import { Hono } from 'hono';
import { NextRequest } from 'next/server.js';
import serverless from 'serverless-http';
import type { Sdk } from './sdk.ts';

/** A host API under test: its address, and which of its handlers ran. */
export interface Host {
  readonly url: string;
  readonly port: number;
  /** The names of the handlers that ran, in order. */
  readonly handled: string[];
  close(): Promise<void>;
}

/** Starts a host whose routes are all behind the guard. */
export type StartHost = (sdk: Sdk, options: AccessOptions) => Promise<Host>;

/** The answer of a handler: its name, and the access that the adapter attached. */
export interface HandlerReply {
  readonly handler: string;
  readonly access: unknown;
}

const ROUTES = ['reports', 'billing'] as const;

/** A host whose responses refuse every header, so that the middleware itself fails. */
export const startBrokenExpress: StartHost = (sdk, options) => {
  const app = express();
  app.use('/v1', (_req, res, next) => {
    res.setHeader = () => {
      throw new Error('no header can be set');
    };
    next();
  });
  // The error reply of Express needs headers too.
  const answer: express.ErrorRequestHandler = (_error, _req, res, _next) => {
    res.socket?.end(
      'HTTP/1.1 500 Broken\r\nConnection: close\r\n\r\n{"error":"service_unavailable"}',
    );
  };
  return expressHost(app, sdk, options, answer);
};

async function expressHost(
  app: express.Express,
  sdk: Sdk,
  options: AccessOptions,
  ...last: express.ErrorRequestHandler[]
): Promise<Host> {
  const handled: string[] = [];
  guardExpress(app, sdk, options, handled);
  for (const handler of last) app.use(handler);
  return hostOf(app.listen(0, '127.0.0.1'), handled);
}

function guardExpress(app: express.Express, sdk: Sdk, options: AccessOptions, handled: string[]) {
  app.disable('etag');
  app.use('/v1', sdk.express.createExpressMiddleware(options));
  for (const handler of ROUTES) {
    app.all([`/v1/${handler}`, `/v1/${handler}/:id`], (req, res) => {
      handled.push(handler);
      res.json({ handler, access: Reflect.get(req, 'access'), ceiba: req.ceiba });
    });
  }
}

async function fastifyHost(app: FastifyInstance, sdk: Sdk, options: AccessOptions): Promise<Host> {
  const handled: string[] = [];
  const preHandler = sdk.fastify.createFastifyPreHandler(options);
  for (const handler of ROUTES) {
    for (const url of [`/v1/${handler}`, `/v1/${handler}/:id`]) {
      app.all(url, { preHandler }, async (request) => {
        handled.push(handler);
        return { handler, access: Reflect.get(request, 'access'), ceiba: request.ceiba };
      });
    }
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  return hostOf(app.server, handled);
}

/** A server that passes each request on as an event of AWS API Gateway, version 2.0. */
function eventHost(handle: serverless.Handler, handled: string[]): Promise<Host> {
  const server = createServer(async (req, res) => {
    const answer = (await handle(eventOf(req), {})) as EventAnswer;
    res.writeHead(answer.statusCode, answer.headers);
    res.end(answer.body);
  });
  return hostOf(server.listen(0, '127.0.0.1'), handled);
}

interface EventAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function eventOf({ method, url = '', headersDistinct }: IncomingMessage): object {
  const [rawPath = '', rawQueryString = ''] = url.split(/\?(.*)/s);
  const headers = Object.entries(headersDistinct).map(([name, values]) => [
    name,
    values?.join(','),
  ]);
  return {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: Object.fromEntries(headers),
    requestContext: { http: { method, sourceIp: '192.0.2.1' } },
  };
}

/** One host per adapter, each with the routes `/v1/reports`, `/v1/billing` and one id below them. */
export const ADAPTERS: Readonly<Record<string, StartHost>> = {
  'express 5': (sdk, options) => expressHost(express(), sdk, options),

  'express 4': (sdk, options) => expressHost(express4(), sdk, options),

  'express under serverless-http'(sdk, options) {
    const handled: string[] = [];
    const app = express();
    guardExpress(app, sdk, options, handled);
    return eventHost(serverless(app), handled);
  },

  'fastify 5': (sdk, options) => fastifyHost(fastify(), sdk, options),

  'fastify 4': (sdk, options) => fastifyHost(fastify4(), sdk, options),

  async hono(sdk, options) {
    const handled: string[] = [];
    const app = new Hono<import('@ceiba/sdk/hono').CeibaEnv>();
    app.use('/v1/*', sdk.hono.createHonoMiddleware(options));
    for (const handler of ROUTES) {
      for (const path of [`/v1/${handler}`, `/v1/${handler}/:id`]) {
        app.all(path, (c) => {
          handled.push(handler);
          return c.json({ handler, access: c.get('access'), ceiba: c.var.ceiba });
        });
      }
    }
    return fetchHost(app.fetch, handled);
  },

  /** Only the wrapper, around handlers that Next would call; next.test.ts runs a real Next. */
  next(sdk, options) {
    const handled: string[] = [];
    const protect = sdk.next.createNextRouteGuard(options);
    return fetchHost((request) => {
      const handler = routeOf(request.url);
      if (handler === undefined) return new Response(null, { status: 404 });
      const route = protect((_request, _context, access) => {
        handled.push(handler);
        return Response.json({ handler, access });
      });
      const headers = new Headers([...request.headers]);
      return route(new NextRequest(request.url, { method: request.method, headers }), {});
    }, handled);
  },

  fetch(sdk, options) {
    const handled: string[] = [];
    const guard = sdk.fetch.createFetchGuard(options);
    return fetchHost(async (request) => {
      const verdict = await guard(request);
      if (!verdict.allowed) return verdict.response;
      const handler = routeOf(request.url);
      if (handler === undefined) return new Response(null, { status: 404 });
      handled.push(handler);
      return Response.json(
        { handler, access: verdict.access, ceiba: verdict.ceiba },
        { headers: { ...verdict.headers } },
      );
    }, handled);
  },
};

function routeOf(url: string): string | undefined {
  return /^\/v1\/(reports|billing)(?:\/[^/]+)?\/?$/.exec(new URL(url).pathname)?.[1];
}

async function fetchHost(
  handle: (request: Request, env: object) => Response | Promise<Response>,
  handled: string[],
): Promise<Host> {
  const server = serve({ fetch: handle, port: 0, hostname: '127.0.0.1' });
  return hostOf(server as Server, handled);
}

/** A host on a server that listens, or is about to. */
export async function hostOf(server: Server, handled: string[]): Promise<Host> {
  if (!server.listening) await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { ...addressOf(server), handled, close };
}

function addressOf(server: Server): { url: string; port: number } {
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

/** One reply as read from the wire. */
export interface WireReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends one request byte for byte: no client normalises the target, and headers may repeat.
 * Resolves with status 0 when the host closes the connection without a reply.
 */
export async function sendRaw(
  port: number,
  requestLine: string,
  headers: readonly string[] = [],
): Promise<WireReply> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  const hasHost = headers.some((line) => /^host:/i.test(line));
  const lines = [requestLine, ...(hasHost ? [] : ['Host: localhost']), 'Connection: close'];
  socket.write(Buffer.from(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`, 'latin1'));
  await closed;
  const text = Buffer.concat(chunks).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const head = end === -1 ? text : text.slice(0, end);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: end === -1 ? '' : text.slice(end + 4),
  };
}
