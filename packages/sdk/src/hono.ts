import type { MiddlewareHandler } from 'hono';
import type { AccessOptions } from './access-options.ts';
import { createFetchGuard, type RequestOrigin } from './fetch.ts';
import type { RequestAccess } from './types.ts';

/** For `new Hono<CeibaEnv>()`: makes `c.get('access')` typed. */
export interface CeibaEnv {
  Variables: {
    /** Which key, policy and plan let this request in. Set behind the Ceiba middleware. */
    access: RequestAccess;
  };
}

/**
 * Makes a Hono middleware that lets a request through only on an allow, with the access context as
 * `c.get('access')`.
 *
 * @example
 * app.use('/v1/*', createHonoMiddleware({ client, projectId }));
 */
export function createHonoMiddleware(options: AccessOptions): MiddlewareHandler<CeibaEnv> {
  const guard = createFetchGuard(options);

  return async function ceibaAccess(c, next) {
    const verdict = await guard(c.req.raw, { ...originOf(c.env), parameters: c.req.param() });
    if (!verdict.allowed) return verdict.response;
    const headers = Object.entries(verdict.headers);
    for (const [name, value] of headers) c.header(name, value);
    c.set('access', verdict.access);
    await next();
    // Hono leaves them out of a `new Response()` that the handler made itself.
    for (const [name, value] of headers) if (!c.res.headers.has(name)) c.header(name, value);
    return undefined;
  };
}

/** On Node, `@hono/node-server` hands the raw request along as `c.env.incoming`. */
function originOf(env: unknown): RequestOrigin {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return {};
  const { incoming } = env;
  if (typeof incoming !== 'object' || incoming === null) return {};
  if (!('url' in incoming) || !('rawHeaders' in incoming)) return {};
  const { url, rawHeaders } = incoming;
  if (typeof url !== 'string' || !Array.isArray(rawHeaders)) return {};
  return { target: url, rawHeaders };
}
