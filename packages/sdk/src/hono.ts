import type { MiddlewareHandler } from 'hono';
import type { AccessOptions } from './access-options.ts';
import { createFetchGuard, type RequestOrigin } from './fetch.ts';
import type { RequestAccess } from './types.ts';

/** Types `c.get('access')`: use it as `new Hono<CeibaEnv>()`. */
export interface CeibaEnv {
  Variables: {
    /** The key, policy and plan that matched. The Ceiba middleware sets it. */
    access: RequestAccess;
  };
}

/**
 * Creates a Hono middleware that passes a request on only after an allow, with the access context as
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
    // Hono does not add `c.header()` values to a `new Response()` of the handler.
    for (const [name, value] of headers) if (!c.res.headers.has(name)) c.header(name, value);
    return undefined;
  };
}

/** On Node, `@hono/node-server` provides the raw request as `c.env.incoming`. */
function originOf(env: unknown): RequestOrigin {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return {};
  const { incoming } = env;
  if (typeof incoming !== 'object' || incoming === null) return {};
  if (!('url' in incoming) || !('rawHeaders' in incoming)) return {};
  const { url, rawHeaders } = incoming;
  if (typeof url !== 'string' || !Array.isArray(rawHeaders)) return {};
  return { target: url, rawHeaders };
}
