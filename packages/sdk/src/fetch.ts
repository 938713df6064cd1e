import {
  type Credential,
  readCredential,
  readCredentialFromHeaders,
} from '@ceiba/contract/credential';
import type { AccessOptions } from './access-options.ts';
import { type AllowedVerdict, createGuard, type RejectedVerdict } from './guard.ts';
import type { ReadyReply } from './host-reply.ts';
import { traceContextIn } from './trace-context.ts';

export type { AllowedVerdict, RejectedVerdict } from './guard.ts';

/** Either the access of an allowed request, or the response that rejects it. */
export type FetchVerdict = AllowedVerdict | ({ readonly response: Response } & RejectedVerdict);

/** Raw values from the framework: in a `Request` the URL is normalised and headers are joined. */
export interface RequestOrigin {
  /** The request target as it was sent; replaces the path of `request.url`. */
  readonly target?: string | undefined;
  /** Header names and values as they were sent; replaces `request.headers`. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** The parameters of the route, if the router has run; an empty one is denied. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /**
   * An object that stays the same where the framework copies the `Request` on its way, such as its
   * context. Guards that get the same `Request` or the same `identity` ask once.
   */
  readonly identity?: object | undefined;
}

/** Judges a request. Never rejects: an error becomes a response. */
export type FetchGuard = (request: Request, origin?: RequestOrigin) => Promise<FetchVerdict>;

/**
 * Creates a guard for handlers that use the Fetch API.
 *
 * @example
 * const guard = createFetchGuard({ client });
 * const verdict = await guard(request);
 * if (!verdict.allowed) return verdict.response;
 */
export function createFetchGuard(options: AccessOptions<Request>): FetchGuard {
  const guard = createGuard(options);

  return async function ceibaAccess(request, origin = {}) {
    const verdict = await guard({
      carriers: origin.identity === undefined ? [request] : [request, origin.identity],
      method: request.method,
      target: origin.target ?? pathnameOf(request.url),
      credential: credentialOf(request, origin),
      parameters: origin.parameters,
      traceContext: traceContextIn((name) => request.headers.get(name)),
      request,
    });
    if (!verdict.allowed) {
      return { allowed: false, response: responseOf(verdict.reply, request.method) };
    }
    return verdict;
  };
}

function credentialOf(request: Request, { rawHeaders }: RequestOrigin): Credential {
  return rawHeaders === undefined
    ? readCredentialFromHeaders(request.headers)
    : readCredential(rawHeaders);
}

function pathnameOf(url: string): string {
  return new URL(url).pathname;
}

function responseOf({ status, headers, body }: ReadyReply, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers: { ...headers } });
}

/** Adds headers to a response, except those that the handler has set. */
export function withHeaders(
  response: Response,
  headers: Readonly<Record<string, string>>,
): Response {
  // A response of `fetch` or `Response.redirect` has immutable headers; a copy does not.
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) {
    if (!copy.headers.has(name)) copy.headers.set(name, value);
  }
  return copy;
}
