import type { FastifyRequest } from 'fastify';
import type { AccessOptions } from './access-options.ts';
import { pathOf } from './guard.ts';
import { createNodeGuard, type NodeRequest } from './node.ts';
import type { CeibaAccess } from './types.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key, policy and plan that matched; undefined where no Ceiba pre-handler ran. */
    ceiba?: CeibaAccess;
  }
}

/**
 * The part of a Fastify request that the pre-handler uses. It sets `request.ceiba`, and the same as
 * `request.access`, the name of the service contract. That name has no declaration here, because a
 * declaration of the host or of another plugin would collide with it.
 */
export interface FastifyRequestLike {
  /** Absent before Fastify 4.19. */
  readonly originalUrl?: string;
  readonly params?: FastifyRequest['params'];
  /** Absent before Fastify 4.10. */
  readonly routeOptions?: { readonly url?: string | undefined };
  readonly routerPath?: string;
  readonly raw: NodeRequest;
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
 * const preHandler = createFastifyPreHandler({ client });
 * app.get('/v1/reports', { preHandler }, listReports);
 */
export function createFastifyPreHandler(options: AccessOptions<FastifyRequest>): FastifyPreHandler {
  const guard = createNodeGuard(options);

  return async function ceibaAccess(request, reply) {
    const { raw } = request;
    const target = request.originalUrl ?? raw.originalUrl ?? raw.url ?? '';
    const verdict = await guard(raw, {
      target,
      request,
      parameters: hasEmptyEnd(request, target) ? { end: '' } : request.params,
    });
    if (reply.sent) return reply;
    if (verdict.allowed) {
      const { ceiba, access, headers } = verdict;
      reply.headers(headers);
      Object.assign(request, { ceiba, access });
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
function hasEmptyEnd(request: FastifyRequestLike, target: string): boolean {
  const path = pathOf(target);
  if (!path.endsWith('/')) return false;
  // Reading `routerPath` where it is deprecated would log a warning.
  const url = request.routeOptions === undefined ? request.routerPath : request.routeOptions.url;
  const route = url?.split('/') ?? [];
  return path.split('/').length === route.length && /^:/.test(route.at(-1) ?? '');
}
