import { type NodeHeaders, rawHeadersOf, readCredential } from '@ceiba/contract/credential';
import type { FastifyRequest } from 'fastify';
import type { AccessOptions } from './access-options.ts';
import { createGuard } from './guard.ts';
import { traceContextIn } from './trace-context.ts';
import type { CeibaAccess, RequestAccess } from './types.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The key, policy and plan that matched. Always set behind the Ceiba pre-handler, and undefined
     * in handlers that it does not protect.
     */
    ceiba: CeibaAccess;
    /** The same under the name of the service contract, with `access` nested. */
    access?: RequestAccess;
  }
}

/** The part of a Fastify request that the pre-handler uses. */
export interface FastifyRequestLike {
  readonly method: string;
  readonly originalUrl: string;
  readonly params?: unknown;
  /** Absent before Fastify 4.10. */
  readonly routeOptions?: { readonly url?: string | undefined };
  readonly routerPath?: string;
  readonly raw: NodeHeaders;
  ceiba?: FastifyRequest['ceiba'];
  access?: FastifyRequest['access'];
}

/** The part of a Fastify reply that the pre-handler uses. */
export interface FastifyReplyLike {
  readonly sent: boolean;
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(payload: string): unknown;
}

/** A hook for a route's `preHandler`, or its `onRequest` to reject requests before reading the body. */
export type FastifyPreHandler = <Reply extends FastifyReplyLike>(
  request: FastifyRequestLike,
  reply: Reply,
) => Promise<Reply | undefined>;

/**
 * Creates a pre-handler for Fastify 4 and 5 that passes a request on only after an allow, with the
 * caller's key, policy and plan in `request.ceiba`.
 *
 * @example
 * const preHandler = createFastifyPreHandler({ client, projectId });
 * app.get('/v1/reports', { preHandler }, listReports);
 */
export function createFastifyPreHandler(options: AccessOptions): FastifyPreHandler {
  const guard = createGuard(options);

  return async function ceibaAccess(request, reply) {
    const verdict = await guard({
      carriers: [request.raw],
      method: request.method,
      target: request.originalUrl,
      credential: readCredential(rawHeadersOf(request.raw)),
      parameters: hasEmptyEnd(request) ? { end: '' } : request.params,
      traceContext: traceContextIn((name) => request.raw.headers?.[name]),
    });
    if (reply.sent) return reply;
    if (verdict.allowed) {
      reply.headers(verdict.headers);
      request.ceiba = verdict.ceiba;
      request.access = verdict.access;
      return undefined;
    }
    const { status, headers, body } = verdict.reply;
    reply.code(status);
    reply.headers(headers);
    // A string, because the route's response schema would remove unknown fields of an object.
    reply.send(body);
    return reply;
  };
}

/**
 * Whether the route ends in a parameter that is empty in the path. Validation may have already
 * replaced it in `params`, for example `''` by `0`.
 */
function hasEmptyEnd(request: FastifyRequestLike): boolean {
  const asked = request.originalUrl.replace(/\?.*$/s, '').split('/');
  // Reading `routerPath` where it is deprecated would log a warning.
  const url = request.routeOptions === undefined ? request.routerPath : request.routeOptions.url;
  const route = url?.split('/') ?? [];
  return asked.length === route.length && asked.at(-1) === '' && /^:/.test(route.at(-1) ?? '');
}
