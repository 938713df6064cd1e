/**
 * The credential that the caller sent. `conflicting` is denied without asking the Runtime: with two
 * credentials it is unknown which customer sent the request.
 */
export type Credential =
  | { readonly kind: 'key'; readonly apiKey: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'conflicting' };

const MISSING: Credential = { kind: 'missing' };
const CONFLICTING: Credential = { kind: 'conflicting' };
const BEARER = /^bearer(?:[ \t]+|$)/i;
const BLANK = /^[ \t]*$/;

/**
 * Reads the caller's key from `Authorization: Bearer <key>` or `x-api-key: <key>`.
 *
 * @param rawHeaders name, value, name, value, … as Node received them, because Node's parsed
 * `headers` drop a second `Authorization` and join a second `x-api-key`.
 */
export function readCredential(rawHeaders: readonly string[]): Credential {
  let authorization: string | undefined;
  let apiKeyHeader: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    if (name === 'authorization') {
      if (authorization !== undefined) return CONFLICTING;
      authorization = rawHeaders[at + 1];
    } else if (name === 'x-api-key') {
      if (apiKeyHeader !== undefined) return CONFLICTING;
      apiKeyHeader = rawHeaders[at + 1];
    }
  }
  return chooseCredential(authorization, apiKeyHeader);
}

/**
 * The headers as Node received them. Adapters of serverless platforms build the request themselves and
 * set only `headers`, where most platforms have already joined repeated headers with a comma.
 */
export function rawHeadersOf({ rawHeaders, headers }: NodeHeaders): readonly string[] {
  if (rawHeaders !== undefined && rawHeaders.length > 0) return rawHeaders;
  return Object.entries(headers ?? {}).flatMap(([name, values = []]) =>
    [values].flat().flatMap((value) => [name, value]),
  );
}

/** The headers of a request of Node, or of one that looks like it. */
export interface NodeHeaders {
  readonly rawHeaders?: readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>> | undefined;
}

/**
 * Does the same for the Fetch API, whose `Headers` join repeated headers with a comma. The joined
 * text is not a key, so the Runtime denies it as `invalid_api_key` and the caller sees the same reply.
 */
export function readCredentialFromHeaders(headers: Headers): Credential {
  return chooseCredential(
    headers.get('authorization') ?? undefined,
    headers.get('x-api-key') ?? undefined,
  );
}

function chooseCredential(
  authorization: string | undefined,
  apiKeyHeader: string | undefined,
): Credential {
  const bearer = presented(authorization === undefined ? undefined : bearerToken(authorization));
  const header = presented(apiKeyHeader);
  if (bearer !== undefined && header !== undefined && bearer !== header) return CONFLICTING;
  const apiKey = bearer ?? header;
  return apiKey === undefined ? MISSING : { kind: 'key', apiKey };
}

/** A blank value counts as absent; any other value is passed on unchanged. */
function presented(value: string | undefined): string | undefined {
  return value === undefined || BLANK.test(value) ? undefined : value;
}

/** The token of a Bearer credential (RFC 6750, section 2.1); undefined for another scheme. */
function bearerToken(authorization: string): string | undefined {
  const scheme = BEARER.exec(authorization);
  return scheme === null ? undefined : authorization.slice(scheme[0].length);
}
