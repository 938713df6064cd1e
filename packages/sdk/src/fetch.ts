import type { AccessOptions } from './access-options.ts';
import { type Credential, readCredential, readCredentialFromHeaders } from './credential.ts';
import { createGuard } from './guard.ts';
import type { ReadyReply } from './host-reply.ts';
import type { RequestAccess } from './types.ts';

/** Either the access of an allowed request, or the response that turns it away. */
export type FetchVerdict =
  | {
      readonly allowed: true;
      readonly access: RequestAccess;
      /** Rate limit fields to set on the handler's response. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly allowed: false; readonly response: Response };

/** What a framework knows better than its `Request`, whose URL is normalised and headers joined. */
export interface RequestOrigin {
  /** The request target as it was sent, in place of the path of `request.url`. */
  readonly target?: string | undefined;
  /** Header names and values as they were sent, in place of `request.headers`. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** The parameters of the route, if the router has run; an empty one is refused. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** Request in, access or response out. It never rejects. */
export type FetchGuard = (request: Request, origin?: RequestOrigin) => Promise<FetchVerdict>;

/**
 * Makes a guard for anything that speaks the Fetch API.
 *
 * @example
 * const guard = createFetchGuard({ client, projectId });
 * const verdict = await guard(request);
 * if (!verdict.allowed) return verdict.response;
 */
export function createFetchGuard(options: AccessOptions): FetchGuard {
  const guard = createGuard(options);

  return async function ceibaAccess(request, origin = {}) {
    const verdict = await guard({
      method: request.method,
      target: origin.target ?? pathnameOf(request.url),
      credential: credentialOf(request, origin),
      parameters: origin.parameters,
    });
    if (verdict.allowed) return verdict;
    return { allowed: false, response: responseOf(verdict.reply, request.method) };
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

/** Adds fields to a response, unless the handler has set them itself. */
export function withHeaders(
  response: Response,
  headers: Readonly<Record<string, string>>,
): Response {
  // A response of `fetch` or `Response.redirect` has immutable headers: the copy has not.
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) {
    if (!copy.headers.has(name)) copy.headers.set(name, value);
  }
  return copy;
}
