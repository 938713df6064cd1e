import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect } from 'node:net';
import type { AccessOptions } from '@ceiba/sdk';
import { serve } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance } from 'fastify';
import fastify4 from 'fastify4';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { NextRequest } from 'next/server.js';
import serverless from 'serverless-http';
import { describe, expect, it } from 'vitest';
import { loadBrokenSdk } from './support/break-sdk.ts';
import { builtSdk, loadSdk, type Sdk } from './support/sdk.ts';

/*
 * A request has one verdict, however many guards lie on its way: it is charged once, and is not denied
 * after it was allowed. In each adapter several guards protect one handler, and the client allows one
 * question only.
 */

const TARGET = '/v1/reports/42?x=1';
const KEY = { 'x-api-key': 'good' };

/** A client whose key has one call left. */
function lastCall({ testing }: Sdk) {
  const { allowDecision, denyDecision, FAKE_PROJECT_ID: projectId } = testing;
  const questions: unknown[] = [];
  const authorize = async (question: unknown) => {
    const number = questions.push(question);
    await new Promise(setImmediate);
    return number === 1 ? allowDecision() : denyDecision('rate_limited');
  };
  return { client: { projectId, authorize }, questions };
}

/** Sends the request to a server, and returns the status and the body of the answer. */
type Send = (sdk: Sdk, options: AccessOptions) => Promise<string>;

async function overHttp(server: import('node:http').Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await textOf(await fetch(`http://127.0.0.1:${port}${TARGET}`, { headers: KEY }));
  server.closeAllConnections();
  server.close();
  return answer;
}

const textOf = async (answer: Response) => `${answer.status} ${await answer.text()}`;

/** Guards on the app, on a router, on an app that is mounted, and on the route. */
function expressApp(module: typeof express, sdk: Sdk, options: AccessOptions) {
  const guard = () => sdk.express.createExpressMiddleware(options);
  const app = module();
  const inner = module();
  const router = module.Router();
  const same = guard();
  app.use('/v1', same, same);
  inner.use(guard());
  router.use(guard());
  router.get('/:id', guard(), (req, res) => {
    res.send(`${req.params.id} ${req.ceiba?.decisionId !== undefined}`);
  });
  inner.use('/reports', router);
  app.use('/v1', inner);
  return app;
}

/** A hook of the app, two of a plugin within it, and a pre-handler of the route. */
async function fastifyApp(app: FastifyInstance, sdk: Sdk, options: AccessOptions): Promise<string> {
  const guard = () => sdk.fastify.createFastifyPreHandler(options);
  app.addHook('onRequest', guard());
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', guard());
      scope.addHook('preValidation', guard());
      scope.get<{ Params: { id: string } }>(
        '/:id',
        { preHandler: [guard(), guard()] },
        async (request) => `${request.params.id} ${request.ceiba?.decisionId !== undefined}`,
      );
    },
    { prefix: '/v1/reports' },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const answer = await overHttp(app.server);
  await app.close();
  return answer;
}

/** Middleware of two apps, another that replaces the `Request` in between, and one on the route. */
function honoApp(sdk: Sdk, options: AccessOptions, attach: 'route' | 'mount') {
  const guard = () => sdk.hono.createHonoMiddleware(options);
  const inner = new Hono();
  inner.use(guard());
  inner.get('/:id', guard(), (c) => c.text(`${c.req.param('id')} ${!!c.var.ceiba.decisionId}`));
  const app = new Hono();
  app.use('/v1/*', guard(), bodyLimit({ maxSize: 1_000 }));
  app.use('/v1/*', async (c, next) => {
    c.req.raw = new Request(c.req.raw);
    await next();
  });
  app.use('/v1/*', guard());
  if (attach === 'route') app.route('/v1/reports', inner);
  else app.mount('/v1/reports', inner.fetch);
  return app;
}

const requested = () => new Request(`http://host${TARGET}`, { headers: KEY });

const ADAPTERS: Readonly<Record<string, Send>> = {
  'express 5': (sdk, options) => overHttp(expressApp(express, sdk, options).listen(0)),
  'express 4': (sdk, options) => overHttp(expressApp(express4, sdk, options).listen(0)),

  async 'express under serverless-http'(sdk, options) {
    const handle = serverless(expressApp(express, sdk, options));
    const [rawPath = '', rawQueryString = ''] = TARGET.split('?');
    const requestContext = { http: { method: 'GET', sourceIp: '192.0.2.1' } };
    const event = { version: '2.0', rawPath, rawQueryString, headers: KEY, requestContext };
    const answer = (await handle(event, {})) as { statusCode: number; body: string };
    return `${answer.statusCode} ${answer.body}`;
  },

  'fastify 5': (sdk, options) => fastifyApp(fastify(), sdk, options),
  'fastify 4': (sdk, options) => fastifyApp(fastify4(), sdk, options),

  'hono on Node': (sdk, options) => {
    const { fetch } = honoApp(sdk, options, 'route');
    return overHttp(serve({ fetch, port: 0 }) as import('node:http').Server);
  },
  'hono on Node, mounted': (sdk, options) => {
    const { fetch } = honoApp(sdk, options, 'mount');
    return overHttp(serve({ fetch, port: 0 }) as import('node:http').Server);
  },
  'hono elsewhere': async (sdk, options) =>
    textOf(await honoApp(sdk, options, 'route').fetch(requested())),

  /** One wrapper around another, and a handler that calls a protected one. */
  async next(sdk, options) {
    const [outer, inner] = [1, 2].map(() => sdk.next.createNextRouteGuard(options));
    const protectedRoute = inner!((_request, _context, { access }) =>
      Response.json({ by: access.apiKey.displayName }),
    );
    const route = outer!((request) => protectedRoute(request, {}));
    const answer = await route(new NextRequest(requested()), {});
    return answer.status === 200 ? '200 42 true' : textOf(answer);
  },

  async fetch(sdk, options) {
    const request = requested();
    const [one, two] = [1, 2].map(() => sdk.fetch.createFetchGuard(options));
    const verdicts = await Promise.all([one!(request), two!(request), one!(request)]);
    verdicts.push(await two!(request));
    const denied = verdicts.find((verdict) => !verdict.allowed);
    return denied && !denied.allowed ? textOf(denied.response) : '200 42 true';
  },

  /** As a framework does that passes each middleware a copy of the request. */
  async 'fetch, with copies of the request'(sdk, options) {
    const guard = sdk.fetch.createFetchGuard(options);
    const identity = {};
    const first = await guard(requested(), { identity });
    const second = await guard(requested(), { identity });
    return first.allowed && second.allowed ? '200 42 true' : 'denied';
  },
};

describe.each(Object.entries(ADAPTERS))('%s', (_name, send) => {
  it('asks once about a request that passes several guards', async () => {
    const sdk = await loadSdk();
    const { client, questions } = lastCall(sdk);
    expect(await send(sdk, { client, projectId: client.projectId })).toBe('200 42 true');
    expect(questions).toEqual([{ apiKey: 'good', method: 'GET', path: '/v1/reports/42' }]);
  });

  it('would be denied after it was allowed by guards that each ask', async () => {
    const from = 'if (earlier) {';
    const broken = await loadBrokenSdk({ file: 'verdicts.js', from, to: 'if (false) {' });
    const { client, questions } = lastCall(broken);
    const options = { client, projectId: client.projectId };
    expect(await send(broken, options)).not.toBe('200 42 true');
    expect(questions.length).toBeGreaterThan(1);
  });
});

it('asks about each request on a connection', async () => {
  const sdk = await loadSdk();
  const { client, questions } = lastCall(sdk);
  const middleware = sdk.express.createExpressMiddleware({ client, projectId: client.projectId });
  const server = createServer((req, res) => middleware(req, res, () => res.end()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const call = `GET ${TARGET} HTTP/1.1\r\nHost: a\r\nX-Api-Key: good\r\n`;
  socket.write(`${call}\r\n${call}Connection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429']);
  expect(questions).toHaveLength(2);
  server.close();
});

it('asks once where one guard is of the ES module and another of CommonJS', async () => {
  const sdk = await loadSdk();
  const require = createRequire(import.meta.url);
  const other: typeof sdk.fetch = require(`${builtSdk}/fetch.cjs`);
  const { client, questions } = lastCall(sdk);
  const options = { client, projectId: client.projectId };
  const request = requested();
  await sdk.fetch.createFetchGuard(options)(request);
  expect((await other.createFetchGuard(options)(request)).allowed).toBe(true);
  expect(questions).toHaveLength(1);
});
