import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessOptions } from './access-options.ts';
import { createNodeGuard } from './node.ts';
import { sendReply, setHeaders } from './node-reply.ts';
import type { CeibaAccess } from './types.ts';

declare global {
  namespace Express {
    interface Request {
      /** The key, policy and plan that matched; undefined where no Ceiba middleware ran. */
      ceiba?: CeibaAccess;
    }
  }
}

/**
 * The part of an Express request that the middleware uses, in Express 4 and 5 and Connect. It sets
 * `req.ceiba`, and the same as `req.access`, the name of the service contract. That name has no
 * declaration here, because a declaration of the host or of another library would collide with it.
 */
export interface ExpressRequest extends IncomingMessage {
  originalUrl?: string;
}

/** What the option `cost` is asked about; a host may name the `Request` of Express instead. */
export interface ExpressCostRequest extends ExpressRequest {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined before a parser has read it. */
  readonly body?: unknown;
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
 * app.get('/v1/reports', createExpressMiddleware({ client }), listReports);
 */
export function createExpressMiddleware(
  options: AccessOptions<ExpressCostRequest>,
): ExpressMiddleware {
  const guard = createNodeGuard(options);

  return function ceibaAccess(req, res, next) {
    // Declared in ExpressRequest, `params` would be optional in the host's handlers too.
    guard(req, { parameters: 'params' in req ? req.params : undefined })
      .then((verdict) => {
        if (res.headersSent) return;
        if (!verdict.allowed) {
          sendReply(res, verdict.reply);
          return;
        }
        const { ceiba, access, headers } = verdict;
        setHeaders(res, headers);
        Object.assign(req, { ceiba, access });
        next();
      })
      .catch((cause: unknown) => next(new Error('The Ceiba middleware failed', { cause })));
  };
}
