import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { createExpressMiddleware, type ExpressCostRequest } from './express.ts';
import { createFastifyPreHandler } from './fastify.ts';
import { createFetchGuard } from './fetch.ts';
import { type CeibaEnv, createHonoMiddleware } from './hono.ts';
import { createNextRouteGuard } from './next.ts';
import { createFakeRuntimeClient } from './testing.ts';

const client = createFakeRuntimeClient({ verdicts: { good: 'allow' } });
const options = { client, projectId: client.projectId };
const allowedRequest = (method = 'GET') =>
  new Request('http://host/v1/reports', { method, headers: { 'x-api-key': 'good' } });
const LIMITS = '"minute";r=59;t=30, "month";r=9999;t=86400';

/** Responses with immutable headers, and responses that already set the fields. */
const RESPONSES = [
  ['plain', () => new Response('ok'), LIMITS],
  ['JSON', () => Response.json({ ok: true }), LIMITS],
  ['redirecting', () => Response.redirect('http://host/elsewhere', 302), LIMITS],
  ['outspoken', () => new Response('ok', { headers: { RateLimit: '"own";r=1' } }), '"own";r=1'],
] as const;

describe('the rate limit fields of an allow', () => {
  it.each(RESPONSES)(
    'reach the %s response of a Hono handler',
    async (_name, respond, expected) => {
      const app = new Hono<CeibaEnv>();
      app.get('/v1/reports', createHonoMiddleware(options), respond);
      const response = await app.fetch(allowedRequest());
      expect(response.headers.get('ratelimit')).toBe(expected);
      expect(response.headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "month";q=10000');
    },
  );

  it.each(RESPONSES)(
    'reach the %s response of a Next handler',
    async (_name, respond, expected) => {
      const response = await createNextRouteGuard(options)(respond)(allowedRequest(), {});
      expect(response.headers.get('ratelimit')).toBe(expected);
      expect(response.status).toBe(respond().status);
    },
  );
});

describe('the cost of a request', () => {
  const costing = <Request>(cost: (request: Request) => number) => {
    const fake = createFakeRuntimeClient({ verdicts: { good: 'allow' } });
    return { options: { client: fake, projectId: fake.projectId, cost }, fake };
  };

  it('is asked about the `Request` by Hono, Next and the fetch guard', async () => {
    const seen = costing((request: Request) => request.url.length);
    const request = allowedRequest();
    const expected = { apiKey: 'good', method: 'GET', path: '/v1/reports', cost: 22 };
    await createFetchGuard(seen.options)(request.clone());
    await createNextRouteGuard(seen.options)(() => new Response('ok'))(request.clone(), {});
    const app = new Hono<CeibaEnv>();
    app.get('/v1/reports', createHonoMiddleware(seen.options), () => new Response('ok'));
    await app.fetch(request.clone());
    expect(seen.fake.questions).toEqual([expected, expected, expected]);
  });

  it('is asked about what Express and Fastify hand to their handlers', async () => {
    const express = costing((req: ExpressCostRequest) => Number(req.query.rows));
    const req = Object.assign(new IncomingMessage(new Socket()), {
      method: 'GET',
      url: '/v1/reports',
      rawHeaders: ['x-api-key', 'good'],
      query: { rows: 7 },
    });
    const middleware = createExpressMiddleware(express.options);
    await new Promise((resolve) => middleware(req, new ServerResponse(req), resolve));
    expect(express.fake.questions).toMatchObject([{ cost: 7 }]);

    const fastify = costing(
      (request: FastifyRequest<{ Body: { rows: number } }>) => request.body.rows,
    );
    const reply = { sent: false, code() {}, headers() {}, send() {} };
    const request = { originalUrl: '/v1/reports', raw: req, body: { rows: 8 } };
    await createFastifyPreHandler({ ...fastify.options })(request, reply);
    expect(fastify.fake.questions).toMatchObject([{ cost: 8 }]);
  });
});

describe('a guard that is created on the first request', () => {
  it('is not created before, and created once', async () => {
    const make = vi.fn(() => options);
    const route = createNextRouteGuard(make)(() => new Response('ok'));
    expect(make).not.toHaveBeenCalled();
    for (let call = 0; call < 3; call += 1) {
      expect((await route(allowedRequest(), {})).status).toBe(200);
    }
    expect(make).toHaveBeenCalledOnce();
  });

  it('allows no request while it cannot be created', async () => {
    const handler = vi.fn(() => new Response('ok'));
    const route = createNextRouteGuard(() => {
      throw new Error('CEIBA_PROJECT_SECRET is missing');
    })(handler);
    await expect(route(allowedRequest(), {})).rejects.toThrow('is missing');
    await expect(route(allowedRequest(), {})).rejects.toThrow('is missing');
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('the fetch guard', () => {
  it('sends no body in reply to HEAD', async () => {
    const request = new Request('http://host/v1/reports', { method: 'HEAD' });
    const verdict = await createFetchGuard(options)(request);
    if (verdict.allowed) throw new Error('the request was allowed');
    expect([verdict.response.status, verdict.response.body]).toEqual([401, null]);
  });

  it('prefers the raw values that the framework provides', async () => {
    const fake = createFakeRuntimeClient();
    const guard = createFetchGuard({ client: fake, projectId: fake.projectId });
    const target = '/v1/reports/../billing?x=1';
    const rawHeaders = ['X-Api-Key', 'a', 'x-api-key', 'a'];
    await guard(new Request(`http://host${target}`), { target });
    await guard(new Request('http://host/'), { target, rawHeaders });
    expect(fake.questions).toEqual([
      { apiKey: null, method: 'GET', path: '/v1/reports/../billing' },
    ]);
  });
});

describe('the Express middleware', () => {
  function exchange() {
    const req: IncomingMessage & { originalUrl?: string; originalMethod?: string } =
      new IncomingMessage(new Socket());
    Object.assign(req, { method: 'GET', url: '/reports', rawHeaders: ['x-api-key', 'good'] });
    return { req, res: new ServerResponse(req) };
  }

  it('asks about the whole target, of which a router has stripped a part', async () => {
    const fake = createFakeRuntimeClient({ verdicts: { good: 'allow' } });
    const { req, res } = exchange();
    req.originalUrl = '/v1/reports?x=1';
    const middleware = createExpressMiddleware({ client: fake, projectId: fake.projectId });
    await new Promise((resolve) => middleware(req, res, resolve));
    expect(fake.questions).toEqual([{ apiKey: 'good', method: 'GET', path: '/v1/reports' }]);
  });

  it('runs no handler for an overridden method', async () => {
    const next = vi.fn();
    const { req, res } = exchange();
    Object.assign(req, { method: 'DELETE', originalMethod: 'POST' });
    createExpressMiddleware(options)(req, res, next);
    await vi.waitFor(() => expect(res.writableEnded).toBe(true));
    expect([res.statusCode, next.mock.calls]).toEqual([403, []]);
  });

  it('runs no handler after another middleware has answered', async () => {
    const next = vi.fn();
    const { req, res } = exchange();
    createExpressMiddleware(options)(req, res, next);
    res.writeHead(503).end();
    await new Promise(setImmediate);
    expect(next).not.toHaveBeenCalled();
  });

  it('passes any error to Express', async () => {
    const { req, res } = exchange();
    res.setHeader = () => {
      throw undefined;
    };
    const argument = await new Promise((resolve) =>
      createExpressMiddleware(options)(req, res, resolve),
    );
    expect(argument).toBeInstanceOf(Error);
  });
});
