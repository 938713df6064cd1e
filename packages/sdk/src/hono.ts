import type { MiddlewareHandler } from 'hono';
import type { AccessOptions } from './access-options.ts';
import { createFetchGuard, type RequestOrigin } from './fetch.ts';
import type { CeibaAccess, RequestAccess } from './types.ts';

/**
 * What the middleware sets. Handlers behind it have these types where they are chained to it; `new
 * Hono<CeibaEnv>()` declares them for an app whose handlers are all behind it.
 */
export interface CeibaEnv {
  Variables: {
    /** The key, policy and plan that matched. */
    ceiba: CeibaAccess;
    /** The same under the name of the service contract, with `access` nested. */
    access: RequestAccess;
  };
}

/**
 * Creates a Hono middleware that passes a request on only after an allow, with the caller's key,
 * policy and plan as `c.var.ceiba`.
 *
 * @example
 * app.use('/v1/*', createHonoMiddleware({ client }));
 */
export function createHonoMiddleware(options: AccessOptions<Request>): MiddlewareHandler<CeibaEnv> {
  const guard = createFetchGuard(options);

  return async function ceibaAccess(c, next) {
    const parameters = c.req.param();
    const verdict = await guard(c.req.raw, { identity: c, ...originOf(c.env), parameters });
    if (!verdict.allowed) return verdict.response;
    const headers = Object.entries(verdict.headers);
    for (const [name, value] of headers) c.header(name, value);
    c.set('ceiba', verdict.ceiba);
    c.set('access', verdict.access);
    await next();
    // Hono does not add `c.header()` values to a `new Response()` of the handler.
    for (const [name, value] of headers) if (!c.res.headers.has(name)) c.header(name, value);
    return undefined;
  };
}

/**
 * On Node, `@hono/node-server` provides the raw request as `c.env.incoming`. It is the same in apps
 * that are mounted, which get a `Request` and a context of their own.
 */
function originOf(env: unknown): RequestOrigin {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return {};
  const { incoming } = env;
  if (typeof incoming !== 'object' || incoming === null) return {};
  if (!('url' in incoming) || !('rawHeaders' in incoming)) return {};
  const { url, rawHeaders } = incoming;
  if (typeof url !== 'string' || !Array.isArray(rawHeaders)) return {};
  return { identity: incoming, target: url, rawHeaders };
}
