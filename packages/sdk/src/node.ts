import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type NodeHeaders, rawHeadersOf, readCredential } from '@ceiba/contract/credential';
import type { AccessOptions } from './access-options.ts';
import { createGuard, type Verdict } from './guard.ts';
import { refuseUpgrade } from './node-reply.ts';
import { traceContextIn } from './trace-context.ts';
import type { CeibaAccess } from './types.ts';
import { warn } from './warn.ts';

/** The part of Node's request object that the guard reads. */
export interface NodeRequest extends NodeHeaders {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The target as it was sent, where Express, Connect or Fastify rewrote `url`. */
  readonly originalUrl?: string | undefined;
  /** The caller's method, where the `method-override` package replaced it. */
  readonly originalMethod?: unknown;
}

/** What the framework knows about a request that is not in Node's request object. */
export interface NodeRequestOrigin {
  /** The target as it was sent, where the framework rewrites `url`: `ctx.originalUrl` of Koa. */
  readonly target?: string | undefined;
  /** The parameters of the route, if the router has run; an empty one is denied. */
  readonly parameters?: unknown;
  /** The framework's own request: what the option `cost` is asked about instead of Node's. */
  readonly request?: object | undefined;
}

/** Either the access of an allowed request, or the reply that rejects it, with its body as JSON text. */
export type NodeVerdict = Verdict;

/** Judges a request. Never rejects: an error becomes a reply that rejects the request. */
export type NodeGuard = (req: NodeRequest, origin?: NodeRequestOrigin) => Promise<NodeVerdict>;

/**
 * Creates a guard for `node:http` and for frameworks on it that have no adapter, such as Koa or Nest.
 * The caller of the guard sends the reply.
 *
 * @example
 * const guard = createNodeGuard({ client });
 * const verdict = await guard(req);
 * if (!verdict.allowed) {
 *   const { status, headers, body } = verdict.reply;
 *   return res.writeHead(status, headers).end(body);
 * }
 */
export function createNodeGuard<Request extends object = NodeRequest>(
  options: AccessOptions<Request>,
): NodeGuard {
  const guard = createGuard(options);

  return function ceibaAccess(req, origin = {}) {
    const { method = '', originalMethod } = req;
    return guard({
      carriers: [req],
      method: typeof originalMethod === 'string' ? originalMethod : method,
      routedMethod: method,
      target: origin.target ?? req.originalUrl ?? req.url ?? '',
      credential: readCredential(rawHeadersOf(req)),
      parameters: origin.parameters,
      traceContext: traceContextIn((name) => req.headers?.[name]),
      request: origin.request ?? req,
    });
  };
}

/** Takes over the socket of an allowed request, as a listener of `upgrade` does. */
export type UpgradeHandler = (
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  ceiba: CeibaAccess,
) => void | Promise<void>;

/** Wraps a listener of `upgrade` so that it runs only after an allow. */
export type UpgradeGuard = (
  handler: UpgradeHandler,
) => (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Creates a wrapper for listeners of `upgrade` and `connect` of a Node server: no middleware sees such
 * requests. A request that is not allowed is answered as any other, and its socket is closed.
 *
 * @example
 * const protect = createUpgradeGuard({ client });
 * server.on('upgrade', protect((req, socket, head, ceiba) => {
 *   sockets.handleUpgrade(req, socket, head, (ws) => sockets.emit('connection', ws, req, ceiba));
 * }));
 */
export function createUpgradeGuard(options: AccessOptions<IncomingMessage>): UpgradeGuard {
  const guard = createNodeGuard(options);

  return (handler) =>
    function ceibaUpgrade(req, socket, head) {
      // Node passes the socket on without a listener: a caller that hangs up would end the process. It
      // stays, because the handler may wait as well before it listens.
      socket.on('error', ignore);
      guard(req)
        .then(async (verdict) => {
          if (socket.destroyed) return;
          if (!verdict.allowed) {
            refuseUpgrade(socket, verdict.reply);
            return;
          }
          await handler(req, socket, head, verdict.ceiba);
        })
        .catch((error: unknown) => {
          socket.destroy();
          warn('the handler of an upgrade failed', error);
        });
    };
}

function ignore(): void {}
