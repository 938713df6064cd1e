import type { AccessOptions } from './access-options.ts';
import { createFetchGuard, withHeaders } from './fetch.ts';
import type { RequestAccess } from './types.ts';

/** A Next.js route handler behind the guard: request, route context, and the caller's access. */
export type GuardedRouteHandler<Req extends Request, Context> = (
  request: Req,
  context: Context,
  access: RequestAccess,
) => Response | Promise<Response>;

/** A Next.js route handler, to be exported as `GET`, `POST`, … of a `route.ts`. */
export type RouteHandler<Req extends Request, Context> = (
  request: Req,
  context: Context,
) => Promise<Response>;

/** Wraps a route handler so that it runs only on an allow. */
export type NextRouteGuard = <Req extends Request, Context>(
  handler: GuardedRouteHandler<Req, Context>,
) => RouteHandler<Req, Context>;

/**
 * Makes a wrapper for Next.js route handlers. Wrap each handler that is to be protected, rather
 * than relying on a proxy (middleware) in front of it: then nothing can go around the check.
 *
 * @example
 * const protect = createNextRouteGuard({ client, projectId });
 * export const GET = protect(async (request, context, access) => Response.json({ access }));
 */
export function createNextRouteGuard(options: AccessOptions): NextRouteGuard {
  const guard = createFetchGuard(options);

  return (handler) =>
    async function ceibaAccess(request, context) {
      const verdict = await guard(request);
      if (!verdict.allowed) return verdict.response;
      const response = await handler(request, context, verdict.access);
      return withHeaders(response, verdict.headers);
    };
}
