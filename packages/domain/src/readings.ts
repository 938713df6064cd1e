/**
 * What else a router may take a request for (ADR 0068). Routers ignore case, decode escapes and merge
 * slashes, so another spelling of a path can run the handler of a more specific policy.
 */
import type { Labels } from './labels.ts';
import { canonicalPath, PATH_LENGTH_MAX, withoutQuery } from './path.ts';

/** A target that every router reads as it was sent. */
const PLAIN = /^(?=\/)(?:\/[a-z0-9_~-][a-z0-9._~-]*)*\/?(?:\?|$)/;

/** Paths that could mean anything: a control character, bytes beyond ASCII, an escape of no standard. */
const UNREADABLE = /[^ -~]|%u[0-9A-Fa-f]{4}/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;
/** Longer ones, and what is still encoded after so many rounds, could mean anything, too. */
const READABLE_MAX = 4 * PATH_LENGTH_MAX;
const DECODINGS_MAX = 3;
const CONTROL_OR_ESCAPE = /\p{Cc}|%[0-9A-Fa-f]{2}/u;
/** What separates segments to some parser. */
const SEPARATORS = /[/\\;?#]+/;

/** A longer pattern counts as the prefix of so many segments, which bounds the memory for a list. */
const SEGMENTS_MAX = 16;

/** A policy; its labels and cost say whether it matters which of a list a request means. */
interface Rule {
  readonly method: string;
  readonly pathPattern: string;
  readonly scopes?: Labels;
  readonly cost?: number;
}

/** The policies of one place, to a router that decodes and ignores case. */
interface Place<P> {
  below?: Map<string, Place<P>>;
  exact?: P[];
  prefix?: P[];
}

/** The policies of a project, by what their patterns mean to a lenient router. */
export class Readings<P extends Rule> {
  readonly #root: Place<P> = {};
  readonly #placed: P[] = [];
  #first: P | undefined;
  /** Whether every router reads the patterns as they are written. */
  #arePlain = true;
  #areEqual = true;

  /** Whether no policy has labels and all cost the same, so that it does not matter which one counts. */
  get areEqual(): boolean {
    return this.#areEqual;
  }

  /** @param base the path of its pattern, without `*`; of `/*` it is empty, and null of a bare `*` */
  add(policy: P, base: string | null, isExact: boolean): void {
    this.#first ??= policy;
    this.#areEqual &&= (policy.scopes ?? null) === null && policy.cost === this.#first.cost;
    if (base === null) return;
    this.#placed.push(policy);
    this.#arePlain &&= base === '' || PLAIN.test(base);
    const segments = segmentsOf(base);
    let place = this.#root;
    for (const segment of segments.slice(0, SEGMENTS_MAX)) {
      place.below ??= new Map();
      const next = place.below.get(segment) ?? {};
      place.below.set(segment, next);
      place = next;
    }
    const kind = isExact && segments.length <= SEGMENTS_MAX ? 'exact' : 'prefix';
    place[kind] ??= [];
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
    if (path === null) return this.#couldMean(target).filter((each) => isOf(each, method));
    return this.#below(policy, method, path);
  }

  /**
   * The policies of the path that are more specific than one. All of them: a router that only decodes, or
   * only ignores case, gets less far than one that does both.
   */
  #below(policy: P, method: string, path: string): readonly P[] {
    let found: P[] = [];
    const enter = (policies: readonly P[] = NONE) => {
      const here = forMethod(policies, method);
      if (here.includes(policy)) found = [];
      else found.push(...here);
    };
    const segments = segmentsOf(path);
    let place: Place<P> | undefined = this.#root;
    enter(place.prefix);
    for (const segment of segments) {
      place = place?.below?.get(segment);
      enter(place?.prefix);
    }
    enter(place?.exact);
    return found;
  }

  /** The policies whose segments are among the parts of an ambiguous path, in their order. */
  #couldMean(target: string): readonly P[] {
    const parts = partsOf(withoutQuery(target));
    if (parts === null) return this.#placed;
    const places = new Map<string, number[]>();
    for (const [index, part] of parts.entries()) {
      const known = places.get(part);
      if (known) known.push(index);
      else places.set(part, [index]);
    }
    const found: P[] = [];
    const visit = ({ below, exact = [], prefix = [] }: Place<P>, from: number) => {
      found.push(...exact, ...prefix);
      if (below === undefined) return;
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

/** As in a match, a named method comes before `*` where a pattern has both. */
function forMethod<P extends Rule>(policies: readonly P[], method: string): readonly P[] {
  if (policies.length === 0) return NONE;
  const named = policies.filter((policy) => policy.method === method);
  const patterns = new Set(named.map(({ pathPattern }) => pathPattern));
  const rest = policies.filter((each) => each.method === '*' && !patterns.has(each.pathPattern));
  return [...named, ...rest];
}

const isOf = (policy: Rule, method: string) => policy.method === method || policy.method === '*';

/** Letters that differ in case alone become equal, also `ſ` and `s`, `İ`, `ı` and `i`. */
const folded = (text: string) => text.toLowerCase().toUpperCase().replaceAll('\u0307', '');

/** Of a canonical path, which has no broken escapes. */
const segmentsOf = (path: string) => folded(decodeURIComponent(path)).split('/').filter(Boolean);

/** What any parser could take for a segment, to a space in it as well; null where that cannot be known. */
function partsOf(path: string): string[] | null {
  if (path.length > READABLE_MAX || UNREADABLE.test(path)) return null;
  let text = path;
  try {
    for (let round = 0; round < DECODINGS_MAX; round += 1) {
      text = text.replace(ESCAPES, decodeURIComponent);
    }
  } catch {
    return null;
  }
  if (CONTROL_OR_ESCAPE.test(text)) return null;
  return folded(text)
    .split(SEPARATORS)
    .flatMap((part) => [part.trim(), part.trim().replace(/ .*/, '')]);
}
