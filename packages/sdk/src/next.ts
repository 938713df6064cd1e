import type { AccessOptions } from './access-options.ts';
import { createFetchGuard, type FetchGuard, withHeaders } from './fetch.ts';
import type { RequestAccess } from './types.ts';

/** A Next.js route handler behind the guard: request, route context, and the caller's access. */
export type GuardedRouteHandler<Req extends Request, Context> = (
  request: Req,
  context: Context,
  access: RequestAccess,
) => Response | Promise<Response>;

/** A Next.js route handler, for export as `GET`, `POST`, … of a `route.ts`. */
export type RouteHandler<Req extends Request, Context> = (
  request: Req,
  context: Context,
) => Promise<Response>;

/** Wraps a route handler so that it runs only after an allow. */
export type NextRouteGuard = <Req extends Request, Context>(
  handler: GuardedRouteHandler<Req, Context>,
) => RouteHandler<Req, Context>;

/**
 * Creates a wrapper for Next.js route handlers. Wrap each protected handler instead of relying on a
 * proxy (middleware) in front of it, so that no request can bypass the check.
 *
 * @param options the options, or a function that returns them on the first request: `next build`
 * imports every route, and a build should need no secrets. An error that it throws fails the request.
 * @example
 * export const protect = createNextRouteGuard(() => ({ client: createClient() }));
 * // app/v1/reports/route.ts
 * export const GET = protect((request, context, access) => Response.json({ access }));
 */
export function createNextRouteGuard(
  options: AccessOptions<Request> | (() => AccessOptions<Request>),
): NextRouteGuard {
  let guard: FetchGuard | undefined;
  if (typeof options !== 'function') guard = createFetchGuard(options);

  return (handler) =>
    async function ceibaAccess(request, context) {
      guard ??= createFetchGuard(typeof options === 'function' ? options() : options);
      const verdict = await guard(request);
      if (!verdict.allowed) return verdict.response;
      const response = await handler(request, context, verdict.access);
      return withHeaders(response, verdict.headers);
    };
}
