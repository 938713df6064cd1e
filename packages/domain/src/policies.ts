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
  const path = canonicalPath(target);
  const matching = [...candidates(indexOf(policies), method, path)];
  return { winner: matching[0] ?? null, matching, path, ambiguous: ambiguityOf(target) };
}

/** Every request that `covered` allows is also allowed by `by`, so `covered` could be removed. */
export interface PolicyOverlap<P extends Policy = Policy> {
  covered: P;
  by: P;
}

/**
 * Pairs of policies of which the second allows everything that the first allows. The more specific
 * policy still wins its requests, so an overlap is a hint, not an error.
 */
export function overlappingPolicies<P extends Policy>(policies: readonly P[]): PolicyOverlap<P>[] {
  const index = indexOf(policies);
  return [...policies].sort(comparePolicies).flatMap((covered) => {
    const shape = shapeOf(covered);
    if (shape === null) return [];
    return [...coverers(index, shape)]
      .filter((by) => by.policyId !== covered.policyId)
      .map((by) => ({ covered, by }));
  });
}

/**
 * Sorts policies into match order: exact before prefix, the longer prefix before the shorter, a
 * named method before `*`. Ties are broken by text, so that the order is always the same.
 */
export function comparePolicies(a: Policy, b: Policy): number {
  const [left, right] = [sortKeyOf(a), sortKeyOf(b)];
  return (
    left.rank - right.rank ||
    right.prefixLength - left.prefixLength ||
    compareText(a.pathPattern, b.pathPattern) ||
    Number(a.method === '*') - Number(b.method === '*') ||
    compareText(a.method, b.method) ||
    compareText(a.policyId, b.policyId)
  );
}

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

function sortKeyOf(policy: Policy): { rank: number; prefixLength: number } {
  const shape = shapeOf(policy);
  if (shape === null) return { rank: 3, prefixLength: 0 };
  const prefixLength = shape.kind === 'prefix' ? shape.path.length : 0;
  return { rank: RANK[shape.kind], prefixLength };
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

/** The policies that match everything that a policy of this shape matches, including itself. */
function coverers<P extends Policy>(index: PolicyIndex<P>, shape: Shape): Generator<P> {
  switch (shape.kind) {
    case 'exact':
      return candidates(index, shape.method, shape.path);
    case 'prefix':
      return coverersOfPrefix(index, shape.method, shape.path);
    case 'any':
      return candidates(index, shape.method, null);
  }
}

function* coverersOfPrefix<P extends Policy>(
  index: PolicyIndex<P>,
  method: string,
  base: string,
): Generator<P> {
  yield* belowPrefixes(index, method, base);
  yield* ofMethod(index.any, method);
}
