/** Finds the policy of a project that a request matches. Default deny: no match is null. */
import { canonicalPath } from './path.ts';
import { ambiguityOf } from './path-ambiguity.ts';
import { parsePathPattern, parsePolicyMethod } from './policy-rule.ts';
import { Readings } from './readings.ts';

/** Allows requests of one method (or `*`, every method) to the paths that a pattern matches. */
export interface Policy {
  policyId: string;
  method: string;
  pathPattern: string;
}

export interface PolicyMatcher<P extends Policy = Policy> {
  /**
   * The policy that a request matches, or null.
   *
   * @param method - The method as it was sent; the comparison is case-sensitive.
   * @param target - The request target; a query is ignored.
   */
  match(method: string, target: string): P | null;
  /**
   * Further policies whose handlers the request may run, because routers ignore case, decode, repair
   * paths or answer HEAD as GET (rule every-reading). None where all
   * policies have no labels and cost the same.
   *
   * @param policy - What `match` returned for the same method and target.
   */
  others(policy: P, method: string, target: string): readonly P[];
}

/**
 * Indexes policies for the hot path: the cost of a match grows with the number of segments of the
 * longest prefix pattern, not with the number of policies.
 *
 * A policy that could not have been saved through the verbs (an inner `*`, a dot segment, a
 * lower-case method) matches nothing.
 *
 * @example compilePolicies(policies).match('GET', '/v1/reports/42?full=1')?.policyId
 */
export function compilePolicies<P extends Policy>(policies: readonly P[]): PolicyMatcher<P> {
  const compiler = new PolicyCompiler<P>();
  compiler.add(policies);
  return compiler;
}

/** Compiles a list part by part, for lists that are too long to compile in one turn. */
export class PolicyCompiler<P extends Policy = Policy> implements PolicyMatcher<P> {
  readonly #index: PolicyIndex<P> = indexOf([]);
  readonly #readings = new Readings<P>();
  #size = 0;

  /** How many policies were added. */
  get size(): number {
    return this.#size;
  }

  add(policies: readonly P[]): void {
    this.#size += policies.length;
    for (const policy of policies) {
      const shape = shapeOf(policy);
      if (shape === null) continue;
      addTo(this.#index, policy, shape);
      const base = shape.kind === 'any' ? null : shape.path;
      this.#readings.add(policy, base, shape.kind === 'exact');
    }
  }

  match(method: string, target: string): P | null {
    for (const policy of candidates(this.#index, method, canonicalPath(target))) return policy;
    return null;
  }

  others(policy: P, method: string, target: string): readonly P[] {
    if (this.#readings.areEqual) return [];
    const others = this.#readings.of(policy, method, target);
    const further = aliasesOf(method).flatMap((alias) => {
      const match = this.match(alias, target) ?? policy;
      const meant = this.#readings.of(match, alias, target);
      return isSettledBy(policy, match) ? meant : [match, ...meant];
    });
    return further.length === 0 ? others : [...others, ...further];
  }
}

/** The methods that a router may take one for: itself in upper case, and GET for HEAD. */
function aliasesOf(method: string): string[] {
  const upperCased = method.toUpperCase();
  return [
    ...(upperCased === method ? [] : [upperCased]),
    ...(upperCased === 'HEAD' ? ['GET'] : []),
  ];
}

/** A policy that names its method speaks for its own pattern and for less specific ones. */
const isSettledBy = (policy: Policy, other: Policy): boolean =>
  policy === other ||
  (policy.method !== '*' &&
    (policy.pathPattern === other.pathPattern || comparePolicies(policy, other) < 0));

export interface MatchExplanation<P extends Policy = Policy> {
  winner: P | null;
  /** Every policy that matches, the winner first. */
  matching: P[];
  /** The path that was matched against the patterns; null when the target is ambiguous. */
  path: string | null;
  /** Why the target is ambiguous, in words that complete "the path …"; null when it is not. */
  ambiguous: string | null;
}

/** Explains the answer of {@link compilePolicies}, for the console's preview and simulator. */
export function explainMatch<P extends Policy>(
  policies: readonly P[],
  method: string,
  target: string,
): MatchExplanation<P> {
  return matchExplainer(policies)(method, target);
}

/** {@link explainMatch} for several requests, which parses the policies once. */
export function matchExplainer<P extends Policy>(
  policies: readonly P[],
): (method: string, target: string) => MatchExplanation<P> {
  const index = indexOf(policies);
  return (method, target) => {
    const path = canonicalPath(target);
    const matching = [...candidates(index, method, path)];
    return { winner: matching[0] ?? null, matching, path, ambiguous: ambiguityOf(target) };
  };
}

/** Which policies decide the calls of a policy that is deleted, by their own labels and costs. */
export interface Successors<P extends Policy = Policy> {
  /** Each decides the calls of its method only, because the deleted one is for every method. */
  ofMethods: P[];
  /** Matches every call that the deleted one matches, and decides what is left; null if none does. */
  cover: P | null;
}

/**
 * Finds the successors of some of these policies. The more specific policy still wins its requests, so
 * a cover is a hint, not an error.
 *
 * @param policies - In match order. They are parsed once, and compared once with each that is asked for.
 */
export function successorFinder<P extends Policy>(
  policies: readonly P[],
): (policy: Policy) => Successors<P> {
  const rules = policies.map((policy) => ({ policy, shape: shapeOf(policy) }));
  return ({ policyId }) => {
    const place = rules.findIndex(({ policy }) => policy.policyId === policyId);
    const left = rules[place]?.shape;
    const ofMethods = new Map<string, P>();
    if (!left) return { ofMethods: [], cover: null };
    for (const { policy, shape } of rules.slice(place + 1)) {
      if (shape === null || !coversPaths(shape, left)) continue;
      if (coversMethods(shape, left)) return { ofMethods: [...ofMethods.values()], cover: policy };
      if (left.method === '*' && !ofMethods.has(shape.method)) ofMethods.set(shape.method, policy);
    }
    return { ofMethods: [...ofMethods.values()], cover: null };
  };
}

/** The policies of which another one matches every call. */
export function coveredBy<P extends Policy>(by: Policy, policies: readonly P[]): P[] {
  const cover = shapeOf(by);
  return policies.filter((policy) => {
    const shape = shapeOf(policy);
    return cover && shape && coversMethods(cover, shape) && coversPaths(cover, shape);
  });
}

/**
 * Sorts policies into match order: exact before prefix, the longer prefix before the shorter, a
 * named method before `*`. Ties are broken by text, so that the order is always the same.
 */
export function inMatchOrder<P extends Policy>(policies: readonly P[]): P[] {
  return policies
    .map(rankedOf)
    .sort(compareRanked)
    .map(({ policy }) => policy);
}

/** One comparison of {@link inMatchOrder}, which parses each policy only once. */
export const comparePolicies = (a: Policy, b: Policy): number =>
  compareRanked(rankedOf(a), rankedOf(b));

/** A policy in the form of the index. A prefix has its path without `*`, so that of `/*` is empty. */
type Shape = { method: string } & ({ kind: 'exact' | 'prefix'; path: string } | { kind: 'any' });

function shapeOf(policy: Policy): Shape | null {
  const method = parsePolicyMethod(policy.method);
  const path = parsePathPattern(policy.pathPattern);
  if (!method.ok || !path.ok) return null;
  if (path.pattern === '*') return { method: method.method, kind: 'any' };
  if (!path.pattern.endsWith('*')) {
    return { method: method.method, kind: 'exact', path: path.pattern };
  }
  const base = path.pattern === '/*' ? '' : path.pattern.slice(0, -1);
  return { method: method.method, kind: 'prefix', path: base };
}

const RANK = { exact: 0, prefix: 1, any: 2 } as const satisfies Record<Shape['kind'], number>;

interface Ranked<P extends Policy> {
  policy: P;
  rank: number;
  prefixLength: number;
}

function rankedOf<P extends Policy>(policy: P): Ranked<P> {
  const shape = shapeOf(policy);
  if (shape === null) return { policy, rank: 3, prefixLength: 0 };
  const prefixLength = shape.kind === 'prefix' ? shape.path.length : 0;
  return { policy, rank: RANK[shape.kind], prefixLength };
}

function compareRanked(left: Ranked<Policy>, right: Ranked<Policy>): number {
  const [a, b] = [left.policy, right.policy];
  return (
    left.rank - right.rank ||
    right.prefixLength - left.prefixLength ||
    compareText(a.pathPattern, b.pathPattern) ||
    Number(a.method === '*') - Number(b.method === '*') ||
    compareText(a.method, b.method) ||
    compareText(a.policyId, b.policyId)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

type ByMethod<P extends Policy> = Map<string, P>;

interface PolicyIndex<P extends Policy> {
  exact: Map<string, ByMethod<P>>;
  prefix: Map<string, ByMethod<P>>;
  any: ByMethod<P>;
  longestBase: number;
}

function indexOf<P extends Policy>(policies: readonly P[]): PolicyIndex<P> {
  const index: PolicyIndex<P> = {
    exact: new Map(),
    prefix: new Map(),
    any: new Map(),
    longestBase: 0,
  };
  for (const policy of policies) {
    const shape = shapeOf(policy);
    if (shape !== null) addTo(index, policy, shape);
  }
  return index;
}

function addTo<P extends Policy>(index: PolicyIndex<P>, policy: P, shape: Shape): void {
  const byMethod = cellOf(index, shape);
  const held = byMethod.get(shape.method);
  // Only plain SQL can write two spellings of one policy; the choice must still be stable.
  if (held === undefined || comparePolicies(policy, held) < 0) byMethod.set(shape.method, policy);
}

function cellOf<P extends Policy>(index: PolicyIndex<P>, shape: Shape): ByMethod<P> {
  switch (shape.kind) {
    case 'any':
      return index.any;
    case 'exact':
      return getOrCreate(index.exact, shape.path);
    case 'prefix':
      index.longestBase = Math.max(index.longestBase, shape.path.length);
      return getOrCreate(index.prefix, shape.path);
  }
}

function getOrCreate<P extends Policy>(cells: Map<string, ByMethod<P>>, key: string): ByMethod<P> {
  const byMethod = cells.get(key) ?? new Map<string, P>();
  cells.set(key, byMethod);
  return byMethod;
}

/** The policies that match, in match order. An ambiguous path is null. */
function* candidates<P extends Policy>(
  index: PolicyIndex<P>,
  method: string,
  path: string | null,
): Generator<P> {
  if (path !== null) {
    yield* ofMethod(index.exact.get(path), method);
    yield* belowPrefixes(index, method, path);
  }
  yield* ofMethod(index.any, method);
}

/** Walks up from the longest base of all patterns, one segment at a time. */
function* belowPrefixes<P extends Policy>(
  index: PolicyIndex<P>,
  method: string,
  path: string,
): Generator<P> {
  const { prefix, longestBase } = index;
  let end = path.length <= longestBase ? path.length : path.lastIndexOf('/', longestBase);
  while (end >= 0) {
    yield* ofMethod(prefix.get(path.slice(0, end)), method);
    end = end === 0 ? -1 : path.lastIndexOf('/', end - 1);
  }
}

function* ofMethod<P extends Policy>(
  byMethod: ByMethod<P> | undefined,
  method: string,
): Generator<P> {
  const named = method === '*' ? undefined : byMethod?.get(method);
  if (named !== undefined) yield named;
  const any = byMethod?.get('*');
  if (any !== undefined) yield any;
}

const coversMethods = (cover: Shape, { method }: Shape): boolean =>
  cover.method === '*' || cover.method === method;

/** Whether a pattern matches every path that another one matches. */
function coversPaths(cover: Shape, covered: Shape): boolean {
  if (cover.kind === 'any') return true;
  if (covered.kind === 'any') return false;
  if (cover.kind === 'exact') return covered.kind === 'exact' && covered.path === cover.path;
  const { length } = cover.path;
  const isAtSegment = covered.path.length === length || covered.path[length] === '/';
  return isAtSegment && covered.path.startsWith(cover.path);
}
