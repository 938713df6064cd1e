import { posix } from 'node:path';
import type { AccessOptions } from '@ceiba/sdk';
import { serve } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { Hono } from 'hono';
import { PatternRouter } from 'hono/router/pattern-router';
import { type Host, hostOf } from './hosts.ts';
import type { Sdk } from './sdk.ts';

/*
 * Hosts with the same tree of routes, in every framework and with every option that changes how its
 * router reads a target. A handler records its route and the resource that it would serve: the path
 * of its route, joined with the decoded parameter as a file server would join it.
 *
 *   /v1/reports, /v1/billing              guarded at the route
 *   …/preview, …/caf%C3%A9, …/:id         below each of them, literal routes and a parameter
 *   /v1/files/<anything below>            guarded at the route, a wildcard
 *   /v1/any, /v1/any/:id                  guarded at the route, a parameter that may be empty
 *   /v1/mounted/reports, …/billing        the same, guarded inside a router mounted at /v1/mounted
 */

/** Identifies the probe of a request, so that many can be in flight at once. */
export const PROBE = 'x-probe';

/** Each entry of `handled` is the number of a probe, the route and the resource, separated by spaces. */
export type StartRouter = (sdk: Sdk, options: AccessOptions) => Promise<Host>;

const COLLECTIONS = ['reports', 'billing'] as const;
const LEAVES = ['', '/preview', '/caf%C3%A9', '/:id'] as const;

/** The routes of the collections, below their prefix. */
const ROUTES = COLLECTIONS.flatMap((name) => LEAVES.map((leaf) => `/${name}${leaf}`));

/** The resource of `route` when its parameter is `below`. */
function served(route: string, below: unknown = ''): string {
  const base = decodeURI(route).replace(/\/[:*].*/, '');
  const rest = Array.isArray(below) ? below.join('/') : String(below);
  return `${route} ${posix.normalize(`${base}/${rest}`).replace(/(?<=.)\/+$/, '')}`;
}

type ExpressModule = typeof express;

function expressRouter(
  module: ExpressModule,
  wildcard: string,
  settings: Readonly<Record<string, boolean>> = {},
): StartRouter {
  return (sdk, options) => {
    const handled: string[] = [];
    const app = module();
    for (const [name, value] of Object.entries(settings)) app.set(name, value);
    const guard = sdk.express.createExpressMiddleware(options);
    const serves = (route: string): express.RequestHandler => {
      return (req, res) => {
        const { id, path, 0: rest }: Readonly<Record<string, unknown>> = req.params;
        handled.push(`${req.get(PROBE)} ${served(route, id ?? path ?? rest)}`);
        res.end();
      };
    };
    for (const route of ROUTES) app.get(`/v1${route}`, guard, serves(`/v1${route}`));
    app.get(wildcard, guard, serves('/v1/files/*'));
    app.get('/v1/any', guard, serves('/v1/any'));
    app.get(/^\/v1\/any\/(?<id>[^/]*)$/, guard, serves('/v1/any/:id'));
    const mounted = module.Router({
      caseSensitive: settings['case sensitive routing'] ?? false,
      strict: settings['strict routing'] ?? false,
    });
    mounted.use(guard);
    for (const route of ROUTES) mounted.get(route, serves(`/v1/mounted${route}`));
    app.use('/v1/mounted', mounted);
    return hostOf(app.listen(0, '127.0.0.1'), handled);
  };
}

function fastifyRouter(settings: FastifyServerOptions = {}): StartRouter {
  return async (sdk, options) => {
    const handled: string[] = [];
    const app = fastify(settings);
    const preHandler = sdk.fastify.createFastifyPreHandler(options);
    const serves = (scope: FastifyInstance, url: string, route: string, hooks = {}) => {
      // Fastify decodes a target before it compares it with its routes.
      scope.get<{ Params: Record<string, string> }>(decodeURI(url), hooks, async (request) => {
        const { id, '*': rest } = request.params;
        handled.push(`${request.headers[PROBE]} ${served(route, id ?? rest)}`);
        return '';
      });
    };
    const singles = ['/files/*', '/any', '/any/:id'];
    for (const route of [...ROUTES, ...singles].map((below) => `/v1${below}`)) {
      serves(app, route, route, { preHandler });
    }
    await app.register(
      async (scope) => {
        scope.addHook('onRequest', preHandler);
        for (const route of ROUTES) serves(scope, route, `/v1/mounted${route}`);
      },
      { prefix: '/v1/mounted' },
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    return hostOf(app.server, handled);
  };
}

type HonoApp = Hono<import('@ceiba/sdk/hono').CeibaEnv>;

function honoRouter(
  settings: { strict?: boolean; router?: HonoApp['router'] },
  attach: 'route' | 'mount',
): StartRouter {
  return (sdk, options) => {
    const handled: string[] = [];
    const guard = sdk.hono.createHonoMiddleware(options);
    const app: HonoApp = new Hono(settings);
    const serves = (scope: HonoApp, path: string, route: string) => {
      // Hono decodes a target before it compares it with its routes.
      scope.get(decodeURI(path), guard, (c) => {
        const below = decodeURIComponent(/^\/v1\/files\/(.*)$/s.exec(c.req.path)?.[1] ?? '');
        handled.push(`${c.req.header(PROBE)} ${served(route, c.req.param('id') ?? below)}`);
        return c.body('');
      });
    };
    for (const route of ROUTES) serves(app, `/v1${route}`, `/v1${route}`);
    serves(app, '/v1/files/*', '/v1/files/*');
    serves(app, '/v1/any', '/v1/any');
    serves(app, '/v1/any/:id{.*}', '/v1/any/:id');
    const mounted: HonoApp = new Hono({ strict: settings.strict ?? true });
    for (const route of ROUTES) serves(mounted, route, `/v1/mounted${route}`);
    if (attach === 'route') app.route('/v1/mounted', mounted);
    else app.mount('/v1/mounted', mounted.fetch);
    return hostOf(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as never, handled);
  };
}

/** Every option that makes Fastify's router more lenient; its types lack `useSemicolonDelimiter`. */
const LAX = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  useSemicolonDelimiter: true,
  maxParamLength: 4_096,
};

/** Every framework, with default options and with those that make its router more lenient. */
export const ROUTERS: Readonly<Record<string, StartRouter>> = {
  'express 5': expressRouter(express, '/v1/files/*path'),
  'express 5, case sensitive and strict': expressRouter(express, '/v1/files/*path', {
    'case sensitive routing': true,
    'strict routing': true,
  }),
  'express 4': expressRouter(express4, '/v1/files/*'),
  fastify: fastifyRouter(),
  'fastify, lax': fastifyRouter({ routerOptions: LAX }),
  hono: honoRouter({}, 'route'),
  'hono, not strict and mounted': honoRouter({ strict: false }, 'mount'),
  'hono, pattern router': (...args) =>
    honoRouter({ router: new PatternRouter() }, 'route')(...args),
};
