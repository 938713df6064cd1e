/** The request that a gateway received, as it says. */
export interface OriginalRequest {
  readonly method: string;
  /** The request target as it was sent, with its query. */
  readonly target: string;
}

/** `problem` completes the sentence "the gateway …". */
export type OriginalRequestReading =
  | { readonly kind: 'clear'; readonly request: OriginalRequest }
  | { readonly kind: 'unclear'; readonly problem: string };

/** The pairs of headers in which gateways name the original request: method and target. */
const FAMILIES = [
  ['x-original-method', 'x-original-uri'],
  ['x-forwarded-method', 'x-forwarded-uri'],
] as const;

/** RFC 9110, section 9.1; the wire accepts no longer one. */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Origin form (RFC 9112, section 3.2.1). What an upstream makes of another one is unknown. */
const TARGET = /^\/\S*$/;

/**
 * Which request a gateway asks about. It may say so in either family of headers, or send the request
 * itself below a prefix. One reading must remain: a header that is missing from its pair or sent
 * twice, or two readings that differ, could be a caller's attempt to be judged by another request.
 *
 * @param rawHeaders name, value, name, value, … as Node received them, because Node joins repeated
 *   headers.
 * @param own The gateway's own request below the prefix; null where it sent none.
 */
export function readOriginalRequest(
  rawHeaders: readonly string[],
  own: OriginalRequest | null,
): OriginalRequestReading {
  let found = own;
  for (const [methodHeader, targetHeader] of FAMILIES) {
    const methods = valuesOf(rawHeaders, methodHeader);
    const targets = valuesOf(rawHeaders, targetHeader);
    const [method] = methods;
    const [target] = targets;
    if (method === undefined && target === undefined) continue;
    if (method === undefined || target === undefined) {
      return unclear(`sent one of ${methodHeader} and ${targetHeader} without the other`);
    }
    if (methods.length > 1 || targets.length > 1) {
      return unclear(`sent ${methodHeader} or ${targetHeader} twice`);
    }
    if (found !== null && (found.method !== method || found.target !== target)) {
      return unclear(`names two requests, one of them in ${methodHeader} and ${targetHeader}`);
    }
    found = { method, target };
  }
  if (found === null) {
    return unclear(`sent neither ${FAMILIES.map((pair) => pair.join(' and ')).join(', nor ')}`);
  }
  if (!METHOD.test(found.method)) return unclear('sent no method, or one that is not valid');
  if (!TARGET.test(found.target)) return unclear('sent no target that is a path');
  return { kind: 'clear', request: found };
}

const unclear = (problem: string) => ({ kind: 'unclear', problem }) as const;

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}
