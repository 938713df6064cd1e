import { compilePolicies, type PolicyMatcher } from '@ceiba/domain';
import type { PolicyList } from '@ceiba/schema';
import { LRUCache } from 'lru-cache';
import type { MonotonicClock } from '../deadline.ts';

interface CompiledList {
  revision: string | null;
  matcher: PolicyMatcher;
  /** When its load began. */
  readAtMs: number;
}

/** Policies that the cache holds in all, or two longer lists; a list counts as its length plus one. */
const MAX_POLICIES = 100_000;
/** A longer list counts as this: compiled anew for each decision it would cost everybody. */
const MAX_POLICIES_A_LIST = MAX_POLICIES / 2;
/** A change that was made with triggers off leaves the revision as it was, and holds after this. */
const LONGEST_AGE_MS = 5_000;

/**
 * Compiled policy lists by project. A list serves a decision only if it has the revision that the
 * decision's lookup returned, or if its load began after that lookup returned: then it holds every
 * change that the lookup saw (consistency rule 6). No list serves for longer than five seconds,
 * whatever its revision says (rule 26).
 */
export class PolicyCache {
  readonly #load: (projectId: string) => Promise<PolicyList | null>;
  readonly #now: MonotonicClock;
  readonly #lists = new LRUCache<string, CompiledList>({ maxSize: MAX_POLICIES });
  readonly #loads = new Map<string, Promise<CompiledList>>();

  constructor(
    load: (projectId: string) => Promise<PolicyList | null>,
    now: MonotonicClock = performance.now.bind(performance),
  ) {
    this.#load = load;
    this.#now = now;
  }

  /**
   * @param revision the one that this decision's lookup returned
   * @throws what `load` throws
   */
  matcherFor(projectId: string, revision: string): PolicyMatcher | Promise<PolicyMatcher> {
    const cached = this.#lists.get(projectId);
    return cached?.revision === revision && !this.#isTooOld(cached)
      ? cached.matcher
      : this.#loadFor(projectId, revision);
  }

  #isTooOld({ readAtMs }: CompiledList): boolean {
    return this.#now() - readAtMs >= LONGEST_AGE_MS;
  }

  async #loadFor(projectId: string, revision: string): Promise<PolicyMatcher> {
    const underWay = this.#loads.get(projectId);
    if (underWay !== undefined) {
      const list = await underWay.catch(() => null);
      if (list?.revision === revision) return list.matcher;
    }
    // Whatever is under way now began after that one ended, and so after the lookup returned.
    const next = this.#loads.get(projectId) ?? this.#startLoad(projectId);
    return (await next).matcher;
  }

  #startLoad(projectId: string): Promise<CompiledList> {
    const load = this.#read(projectId).finally(() => this.#loads.delete(projectId));
    this.#loads.set(projectId, load);
    return load;
  }

  async #read(projectId: string): Promise<CompiledList> {
    const readAtMs = this.#now();
    const list = await this.#load(projectId);
    const policies = list?.policies ?? [];
    const matcher = compilePolicies(policies);
    const compiled = { revision: list?.revision ?? null, matcher, readAtMs };
    const size = Math.min(policies.length + 1, MAX_POLICIES_A_LIST);
    this.#lists.set(projectId, compiled, { size });
    return compiled;
  }
}
