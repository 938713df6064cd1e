import { compilePolicies, type PolicyMatcher } from '@ceiba/domain';
import type { PolicyList } from '@ceiba/schema';
import { LRUCache } from 'lru-cache';
import type { MonotonicClock } from '../deadline.ts';

interface CompiledList {
  revision: string | null;
  matcher: PolicyMatcher;
  /** When its load began, on the monotonic clock. */
  readAtMs: number;
}

/** The capacity of the cache; a list counts as its length plus one. */
const MAX_POLICIES = 100_000;
/** A longer list counts as this, so that it fits: compiling it per decision would block the process. */
const MAX_POLICIES_PER_LIST = MAX_POLICIES / 2;
/** A change with triggers disabled keeps the revision; decisions see it after this time. */
const LONGEST_AGE_MS = 5_000;

/**
 * Compiled policy lists per project. A decision uses a list only if it has the revision that the
 * decision's lookup returned, or if its load began after that lookup returned: then it includes every
 * change that the lookup saw (consistency rule 6). No list is used for longer than five seconds,
 * whatever its revision (rule 26).
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
    // A load that is under way now began after that one ended, so after the lookup returned.
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
    const size = Math.min(policies.length + 1, MAX_POLICIES_PER_LIST);
    this.#lists.set(projectId, compiled, { size });
    return compiled;
  }
}
