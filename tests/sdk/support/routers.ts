import { posix } from 'node:path';
import type { AccessOptions } from '@ceiba/sdk';
import { serve } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { Hono } from 'hono';
import { type Host, hostOf } from './hosts.ts';
import type { Sdk } from './sdk.ts';

/*
 * Hosts with one and the same tree of resources, in every framework and with every option that
 * changes how its router reads a target. A handler records the resource that it would serve: the
 * path of its route, with the decoded parameter joined on as a file server would join it.
 *
 *   /v1/reports, /v1/reports/:id          guarded at the route
 *   /v1/billing, /v1/billing/:id          guarded at the route
 *   /v1/files/<anything below>            guarded at the route, a wildcard
 *   /v1/mounted/reports, …/billing        guarded inside a router that is mounted at /v1/mounted
 */

/** Names the probe of a request, so that many can be under way at once. */
export const PROBE = 'x-probe';

/** Each entry of `handled` is the number of a probe, a space, and the resource it reached. */
export type StartRouter = (sdk: Sdk, options: AccessOptions) => Promise<Host>;

const COLLECTIONS = ['reports', 'billing'] as const;

/** What a handler at `base` serves when its parameter is `below`. */
function resource(base: string, below: unknown = ''): string {
  const rest = Array.isArray(below) ? below.join('/') : String(below);
  return posix.normalize(`${base}/${rest}`).replace(/(?<=.)\/+$/, '');
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
    const serves = (base: string): express.RequestHandler => {
      return (req, res) => {
        const params: Readonly<Record<string, unknown>> = req.params;
        const served = resource(base, params.id ?? params.path ?? params[0]);
        handled.push(`${req.get(PROBE)} ${served}`);
        res.end();
      };
    };
    for (const name of COLLECTIONS) {
      app.get(`/v1/${name}`, guard, serves(`/v1/${name}`));
      app.get(`/v1/${name}/:id`, guard, serves(`/v1/${name}`));
    }
    app.get(wildcard, guard, serves('/v1/files'));
    const mounted = module.Router({
      caseSensitive: settings['case sensitive routing'] ?? false,
      strict: settings['strict routing'] ?? false,
    });
    mounted.use(guard);
    for (const name of COLLECTIONS) mounted.get(`/${name}`, serves(`/v1/mounted/${name}`));
    app.use('/v1/mounted', mounted);
    return hostOf(app.listen(0, '127.0.0.1'), handled);
  };
}

function fastifyRouter(settings: FastifyServerOptions = {}): StartRouter {
  return async (sdk, options) => {
    const handled: string[] = [];
    const app = fastify(settings);
    const preHandler = sdk.fastify.createFastifyPreHandler(options);
    const serves = (scope: FastifyInstance, url: string, base: string) => {
      scope.get<{ Params: Record<string, string> }>(url, { preHandler }, async (request) => {
        const served = resource(base, request.params.id ?? request.params['*']);
        handled.push(`${request.headers[PROBE]} ${served}`);
        return '';
      });
    };
    for (const name of COLLECTIONS) {
      serves(app, `/v1/${name}`, `/v1/${name}`);
      serves(app, `/v1/${name}/:id`, `/v1/${name}`);
    }
    serves(app, '/v1/files/*', '/v1/files');
    await app.register(
      async (scope) => {
        for (const name of COLLECTIONS) serves(scope, `/${name}`, `/v1/mounted/${name}`);
      },
      { prefix: '/v1/mounted' },
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    return hostOf(app.server, handled);
  };
}

type HonoApp = Hono<import('@ceiba/sdk/hono').CeibaEnv>;

function honoRouter(settings: { strict?: boolean }, attach: 'route' | 'mount'): StartRouter {
  return (sdk, options) => {
    const handled: string[] = [];
    const guard = sdk.hono.createHonoMiddleware(options);
    const app: HonoApp = new Hono(settings);
    const serves = (scope: HonoApp, path: string, base: string) => {
      scope.get(path, guard, (c) => {
        const below = decodeURIComponent(/^\/v1\/files\/(.*)$/s.exec(c.req.path)?.[1] ?? '');
        handled.push(`${c.req.header(PROBE)} ${resource(base, c.req.param('id') ?? below)}`);
        return c.body('');
      });
    };
    for (const name of COLLECTIONS) {
      serves(app, `/v1/${name}`, `/v1/${name}`);
      serves(app, `/v1/${name}/:id`, `/v1/${name}`);
    }
    serves(app, '/v1/files/*', '/v1/files');
    const mounted: HonoApp = new Hono(settings);
    for (const name of COLLECTIONS) serves(mounted, `/${name}`, `/v1/mounted/${name}`);
    if (attach === 'route') app.route('/v1/mounted', mounted);
    else app.mount('/v1/mounted', mounted.fetch);
    return hostOf(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as never, handled);
  };
}

/** All that makes Fastify's router more lenient; its types do not name the semicolons. */
const LAX = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  useSemicolonDelimiter: true,
  maxParamLength: 4_096,
};

/** Every framework, with default options and with those that make its router read more leniently. */
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
};
