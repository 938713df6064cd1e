import type { FastifyRequest } from 'fastify';
import type { AccessOptions } from './access-options.ts';
import { readCredential } from './credential.ts';
import { createGuard } from './guard.ts';
import type { RequestAccess } from './types.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Which key, policy and plan let this request in. Set behind the Ceiba pre-handler. */
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

/** A hook for a route's `preHandler`, or its `onRequest` to turn requests away unread. */
export type FastifyPreHandler = <Reply extends FastifyReplyLike>(
  request: FastifyRequestLike,
  reply: Reply,
) => Promise<Reply | undefined>;

/**
 * Makes a pre-handler for Fastify that lets a request through only on an allow, with the access
 * context on `request.access`.
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
    // A string passes by the route's response schema, which would strip what it does not name.
    reply.send(body);
    return reply;
  };
}

/**
 * Whether the route ends in a parameter that the path leaves empty. Validation may have replaced it
 * in `params` already, `''` by `0`.
 */
function hasEmptyEnd({ originalUrl, routeOptions }: FastifyRequestLike): boolean {
  const asked = originalUrl.replace(/\?.*$/s, '').split('/');
  const route = routeOptions?.url?.split('/') ?? [];
  return asked.length === route.length && asked.at(-1) === '' && /^:/.test(route.at(-1) ?? '');
}
