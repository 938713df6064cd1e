import { readCredential } from '@ceiba/contract/credential';
import type { FastifyRequest } from 'fastify';
import type { AccessOptions } from './access-options.ts';
import { createGuard } from './guard.ts';
import type { RequestAccess } from './types.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key, policy and plan that matched. The Ceiba pre-handler sets it. */
    access?: RequestAccess;
  }
}

/** The part of a Fastify request that the pre-handler uses. */
export interface FastifyRequestLike {
  readonly method: string;
  readonly originalUrl: string;
  readonly params?: unknown;
  readonly routeOptions?: { readonly url?: string | undefined };
  readonly raw: { readonly rawHeaders: readonly string[] };
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
 * Creates a pre-handler for Fastify that passes a request on only after an allow, with the access
 * context in `request.access`.
 *
 * @example
 * const preHandler = createFastifyPreHandler({ client, projectId });
 * app.get('/v1/reports', { preHandler }, listReports);
 */
export function createFastifyPreHandler(options: AccessOptions): FastifyPreHandler {
  const guard = createGuard(options);

  return async function ceibaAccess(request, reply) {
    const verdict = await guard({
      method: request.method,
      target: request.originalUrl,
      credential: readCredential(request.raw.rawHeaders),
      parameters: hasEmptyEnd(request) ? { end: '' } : request.params,
    });
    if (reply.sent) return reply;
    if (verdict.allowed) {
      reply.headers(verdict.headers);
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
function hasEmptyEnd({ originalUrl, routeOptions }: FastifyRequestLike): boolean {
  const asked = originalUrl.replace(/\?.*$/s, '').split('/');
  const route = routeOptions?.url?.split('/') ?? [];
  return asked.length === route.length && asked.at(-1) === '' && /^:/.test(route.at(-1) ?? '');
}
