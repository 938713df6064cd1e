import { IDENTITY_HEADERS } from '@ceiba/contract/sets';
import type { GatewayAnswer } from '../gateways/answer.ts';
import { costOf, type GatewayMistake } from '../gateways/cost.ts';
import { type OriginalRequestReading, readOriginalRequest } from '../gateways/original-request.ts';

/** As decoded: absent texts and lists are empty, absent messages null. */
export interface CheckRequest {
  readonly attributes: {
    readonly request: { readonly http: HttpRequest | null } | null;
    readonly context_extensions: Readonly<Record<string, string>>;
  } | null;
}

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly header_map: {
    readonly headers: readonly { key: string; value: string; raw_value: Uint8Array }[];
  } | null;
}

/** A request as Envoy's caller sent it. */
export interface CheckedRequest {
  readonly original: OriginalRequestReading;
  /** Name, value, name, value, …; Envoy has joined repeated headers, unless it sends raw ones. */
  readonly rawHeaders: readonly string[];
  /** As the route in Envoy says. */
  readonly cost: number | undefined | GatewayMistake;
}

/** The method and the target are Envoy's own reading; no header of the caller can change them. */
export function readCheckRequest({ attributes }: CheckRequest): CheckedRequest {
  const http = attributes?.request?.http ?? null;
  const own = http === null ? null : { method: http.method, target: http.path };
  const { cost } = attributes?.context_extensions ?? {};
  return {
    original: readOriginalRequest([], own),
    rawHeaders: rawHeadersOf(http),
    cost: costOf(cost === undefined ? [] : [cost], 'context_extensions'),
  };
}

function rawHeadersOf(http: HttpRequest | null): string[] {
  const raw = http?.header_map?.headers ?? [];
  return [
    ...Object.entries(http?.headers ?? {}).flat(),
    ...raw.flatMap(({ key, value, raw_value: bytes }) => [
      key,
      bytes.length > 0 ? Buffer.from(bytes).toString('latin1') : value,
    ]),
  ];
}

/** `google.rpc.Code` of each status; only an OK lets the request through. */
const RPC_CODES: Readonly<Record<number, number>> = { 200: 0, 401: 16, 403: 7, 429: 8, 503: 14 };
const INTERNAL = 13;
/** Replaces what the caller sent under the same name. */
const OVERWRITE_IF_EXISTS_OR_ADD = 2;

const IDENTITY: ReadonlySet<string> = new Set(Object.values(IDENTITY_HEADERS));
/** Some servers read `_` or `.` in a name as `-`. */
const CLAIMS_IDENTITY = /^x[^a-z0-9]ceiba/i;

/**
 * The answer as Envoy takes it. The caller gets none of the identity headers, and the upstream gets
 * none that the caller sent. An answer without a verdict is a denial too: an error of the call itself
 * would let the request through where `failure_mode_allow` is set.
 */
export function checkResponseOf(
  { status, headers, body }: GatewayAnswer,
  { rawHeaders }: Pick<CheckedRequest, 'rawHeaders'>,
) {
  const all = Object.entries(headers);
  const toCaller = all.filter(([name]) => !IDENTITY.has(name)).map(optionOf);
  const code = RPC_CODES[status] ?? INTERNAL;
  if (code === 0) {
    const toUpstream = all.filter(([name]) => IDENTITY.has(name));
    const kept = new Set(toUpstream.map(([name]) => name));
    const claimed = rawHeaders.filter((name, at) => at % 2 === 0 && CLAIMS_IDENTITY.test(name));
    return {
      status: { code },
      ok_response: {
        headers: toUpstream.map(optionOf),
        headers_to_remove: claimed.filter((name) => !kept.has(name.toLowerCase())),
        response_headers_to_add: toCaller,
      },
    };
  }
  const own = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return {
    status: { code },
    denied_response: {
      status: { code: status },
      headers: [...Object.entries(own).map(optionOf), ...toCaller],
      body: JSON.stringify(body),
    },
  };
}

const optionOf = ([key, value]: [string, string]) => ({
  header: { key: key.toLowerCase(), value },
  append_action: OVERWRITE_IF_EXISTS_OR_ADD,
});
