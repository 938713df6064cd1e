import { compilePolicies, type PolicyFacts, type PolicyMatcher } from '@ceiba/domain';
import { LRUCache } from 'lru-cache';
import type { MonotonicClock } from '../deadline.ts';
import type { CompiledPolicies } from './policy-reads.ts';

interface CompiledList {
  revision: string | null;
  matcher: PolicyMatcher<PolicyFacts>;
  /** How many policies it has. */
  size: number;
  /** When the load began, on the monotonic clock. */
  loadStartedMs: number;
}

/** The capacity of the cache. A list of n policies counts as n + 1, so that empty lists count too. */
const POLICIES_MAX = 100_000;
/**
 * The most that one list counts as, so that a list of any length fits. Without the cache, each
 * decision would compile the list, and a long one would block the process.
 */
const LIST_SIZE_MAX = POLICIES_MAX / 2;
/**
 * How long a list is used. A change that was made with triggers disabled does not change the revision,
 * so decisions see it only once the list is loaded again.
 */
const AGE_MS_MAX = 5_000;
/**
 * A list of more pages than one waits for those of other projects, so it is loaded again before it is
 * too old, and no decision waits for it.
 */
const LONG = { size: 100, ageMs: 3_000 };

const NO_POLICIES = compilePolicies([]);

/**
 * Compiled policy lists per project. A decision uses a list only if it has the revision that the
 * decision's lookup returned, or if its load began after that lookup returned and therefore includes
 * every change that the lookup saw (rule policy-revision). No list is used for longer than five
 * seconds, whatever its revision (rule policy-age).
 */
export class PolicyCache {
  readonly #load: (projectId: string) => Promise<CompiledPolicies | null>;
  readonly #now: MonotonicClock;
  readonly #lists = new LRUCache<string, CompiledList>({ maxSize: POLICIES_MAX });
  readonly #loads = new Map<string, Promise<CompiledList>>();

  constructor(
    load: (projectId: string) => Promise<CompiledPolicies | null>,
    now: MonotonicClock = performance.now.bind(performance),
  ) {
    this.#load = load;
    this.#now = now;
  }

  /**
   * Returns the compiled policies of a project, from the cache if possible.
   *
   * @param revision the one that this decision's lookup returned
   * @throws what `load` throws
   */
  matcherFor(
    projectId: string,
    revision: string,
  ): PolicyMatcher<PolicyFacts> | Promise<PolicyMatcher<PolicyFacts>> {
    const cached = this.#lists.get(projectId);
    if (cached?.revision !== revision) return this.#loadFor(projectId, revision);
    const ageMs = this.#now() - cached.loadStartedMs;
    if (ageMs >= AGE_MS_MAX) return this.#loadFor(projectId, revision);
    if (ageMs >= LONG.ageMs && cached.size > LONG.size && !this.#loads.has(projectId)) {
      // If it fails, the decisions that need it load it again, and fail themselves.
      this.#startLoad(projectId).catch(() => {});
    }
    return cached.matcher;
  }

  async #loadFor(projectId: string, revision: string): Promise<PolicyMatcher<PolicyFacts>> {
    const underWay = this.#loads.get(projectId);
    if (underWay !== undefined) {
      const list = await underWay.catch(() => null);
      if (list?.revision === revision) return list.matcher;
    }
    // If a load is under way now, it began after the awaited one ended: after the lookup returned.
    const next = this.#loads.get(projectId) ?? this.#startLoad(projectId);
    return (await next).matcher;
  }

  #startLoad(projectId: string): Promise<CompiledList> {
    const load = this.#read(projectId).finally(() => this.#loads.delete(projectId));
    this.#loads.set(projectId, load);
    return load;
  }

  async #read(projectId: string): Promise<CompiledList> {
    const loadStartedMs = this.#now();
    const list = await this.#load(projectId);
    const compiled = {
      revision: list?.revision ?? null,
      matcher: list?.matcher ?? NO_POLICIES,
      size: list?.size ?? 0,
      loadStartedMs,
    };
    const size = Math.min(compiled.size + 1, LIST_SIZE_MAX);
    this.#lists.set(projectId, compiled, { size });
    return compiled;
  }
}
