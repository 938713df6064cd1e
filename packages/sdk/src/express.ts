import type { IncomingMessage, ServerResponse } from 'node:http';
import { rawHeadersOf, readCredential } from '@ceiba/contract/credential';
import type { AccessOptions } from './access-options.ts';
import { createGuard } from './guard.ts';
import { sendReply, setHeaders } from './node-reply.ts';
import { traceContextIn } from './trace-context.ts';
import type { CeibaAccess, RequestAccess } from './types.ts';

declare global {
  namespace Express {
    interface Request {
      /**
       * The key, policy and plan that matched. Always set behind the Ceiba middleware, and
       * undefined in handlers that it does not protect.
       */
      ceiba: CeibaAccess;
      /** The same under the name of the service contract, with `access` nested. */
      access?: RequestAccess;
    }
  }
}

/** The part of an Express request that the middleware uses, in Express 4 and 5 and Connect. */
export interface ExpressRequest extends IncomingMessage {
  originalUrl?: string;
  ceiba?: CeibaAccess;
  access?: RequestAccess;
}

/** An Express middleware, typed without a dependency on Express. */
export type ExpressMiddleware = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Creates a middleware for Express 4 and 5 that passes a request on only after an allow, with the
 * caller's key, policy and plan in `req.ceiba`.
 *
 * @example
 * app.get('/v1/reports', createExpressMiddleware({ client, projectId }), listReports);
 */
export function createExpressMiddleware(options: AccessOptions): ExpressMiddleware {
  const guard = createGuard(options);

  return function ceibaAccess(req, res, next) {
    guard({
      carriers: [req],
      method: wireMethod(req),
      routedMethod: req.method,
      target: req.originalUrl ?? req.url ?? '',
      credential: readCredential(rawHeadersOf(req)),
      // Declared in ExpressRequest, `params` would be optional in the host's handlers too.
      parameters: 'params' in req ? req.params : undefined,
      traceContext: traceContextIn((name) => req.headers[name]),
    })
      .then((verdict) => {
        if (res.headersSent) return;
        if (!verdict.allowed) {
          sendReply(res, verdict.reply);
          return;
        }
        setHeaders(res, verdict.headers);
        req.ceiba = verdict.ceiba;
        req.access = verdict.access;
        next();
      })
      .catch((cause: unknown) => next(new Error('The Ceiba middleware failed', { cause })));
  };
}

/** The `method-override` package keeps the caller's method in `originalMethod`. */
function wireMethod(req: ExpressRequest & { originalMethod?: unknown }): string {
  return typeof req.originalMethod === 'string' ? req.originalMethod : (req.method ?? '');
}
