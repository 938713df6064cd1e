/**
 * What else a router may take a request for (ADR 0068). Routers ignore case, decode escapes and merge
 * slashes, so another spelling of a path can run the handler of a more specific policy.
 */
import { canonicalPath, PATH_LENGTH_MAX, withoutQuery } from './path.ts';

/** A target that every router reads as it was sent. */
const PLAIN = /^(?=\/)(?:\/[a-z0-9_~-][a-z0-9._~-]*)*\/?(?:\?|$)/;

/** What separates segments to some parser. */
const SEPARATORS = /[/\\;?# ]+/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;
const CONTROL_OR_ESCAPE = /\p{Cc}|%[0-9A-Fa-f]{2}/u;
/** How often a path may have been encoded. */
const DECODINGS_MAX = 3;

/** The policies of one place, to a router that decodes and ignores case. */
interface Place<P> {
  readonly below: Map<string, Place<P>>;
  readonly exact: P[];
  readonly prefix: P[];
}

/** The policies of a project, by what their patterns mean to a lenient router. */
export class Readings<P extends { readonly method: string }> {
  readonly #root: Place<P> = newPlace();
  readonly #all: P[] = [];
  /** Whether every router reads the patterns as they are written. */
  #arePlain = true;

  /** @param base the path of its pattern, without `*`; of `/*` it is empty */
  add(policy: P, base: string, kind: 'exact' | 'prefix'): void {
    this.#all.push(policy);
    this.#arePlain &&= base === '' || PLAIN.test(base);
    let place = this.#root;
    for (const segment of segmentsOf(base)) {
      const next = place.below.get(segment) ?? newPlace();
      place.below.set(segment, next);
      place = next;
    }
    place[kind].push(policy);
  }

  /**
   * The policies that other readings of a request match.
   *
   * @param policy the one that it matches as it was sent
   * @param target the request target; a query is ignored
   */
  of(policy: P, method: string, target: string): readonly P[] {
    if (this.#arePlain && target.length <= PATH_LENGTH_MAX && PLAIN.test(target)) return NONE;
    const path = canonicalPath(target);
    if (path === null) return this.#couldMean(target).filter(isOf(method));
    const meant = this.#mostSpecific(method, path);
    return meant.includes(policy) ? NONE : meant;
  }

  /** The policies of the most specific place that has any for the method. */
  #mostSpecific(method: string, path: string): readonly P[] {
    let place: Place<P> | undefined = this.#root;
    let found = forMethod(place.prefix, method);
    const segments = segmentsOf(path);
    for (const segment of segments) {
      place = place.below.get(segment);
      if (place === undefined) return found;
      const here = forMethod(place.prefix, method);
      if (here.length > 0) found = here;
    }
    const exact = forMethod(place.exact, method);
    return exact.length > 0 ? exact : found;
  }

  /** The policies whose segments are among the parts of an ambiguous path, in their order. */
  #couldMean(target: string): readonly P[] {
    const parts = partsOf(withoutQuery(target));
    if (parts === null) return this.#all;
    const places = new Map<string, number[]>();
    for (const [index, part] of parts.entries()) {
      const known = places.get(part);
      if (known) known.push(index);
      else places.set(part, [index]);
    }
    const found: P[] = [];
    const visit = (place: Place<P>, from: number) => {
      found.push(...place.exact, ...place.prefix);
      const { below } = place;
      for (const part of (below.size < places.size ? below : places).keys()) {
        const next = below.get(part);
        // Of equal parts the first leaves the most behind it.
        const index = next && places.get(part)?.find((each) => each >= from);
        if (next && index !== undefined) visit(next, index + 1);
      }
    };
    visit(this.#root, 0);
    return found;
  }
}

const NONE: readonly never[] = [];

const newPlace = <P>(): Place<P> => ({ below: new Map(), exact: [], prefix: [] });

/** As in a match, a named method comes before `*`. */
function forMethod<P extends { readonly method: string }>(
  policies: readonly P[],
  method: string,
): readonly P[] {
  if (policies.length === 0) return NONE;
  const named = policies.filter((policy) => policy.method === method);
  return named.length > 0 ? named : policies.filter(isOf('*'));
}

const isOf =
  (method: string) =>
  (policy: { readonly method: string }): boolean =>
    policy.method === method || policy.method === '*';

/** Of a canonical path, which has no broken escapes. */
const segmentsOf = (path: string) =>
  decodeURIComponent(path).toLowerCase().split('/').filter(Boolean);

/** What any parser could take for a segment; null where that cannot be known. */
function partsOf(path: string): string[] | null {
  if (path.length > PATH_LENGTH_MAX) return null;
  let text = path;
  try {
    for (let round = 0; round < DECODINGS_MAX; round += 1) {
      text = text.replace(ESCAPES, decodeURIComponent);
    }
  } catch {
    return null;
  }
  return CONTROL_OR_ESCAPE.test(text) ? null : text.toLowerCase().split(SEPARATORS);
}
