import { PolicyCompiler, type PolicyFacts, type PolicyMatcher } from '@ceiba/domain';
import { Batcher, SerialQueue } from '@ceiba/process/tasks';
import type { PolicyPage, PolicyRuleKey } from '@ceiba/schema';
import { Failed, isolated } from '../isolate.ts';
import { UnavailableError } from '../unavailable.ts';

/** A project's policies, compiled. */
export interface CompiledPolicies {
  revision: string;
  matcher: PolicyMatcher<PolicyFacts>;
  /** How many there are. */
  size: number;
}

export interface PolicySource {
  /** Reads the first pages of projects in one statement. @returns those that exist */
  first(projectIds: readonly string[]): Promise<ReadonlyMap<string, PolicyPage>>;
  /** @returns undefined when there is no such project any more */
  further(projectId: string, after: PolicyRuleKey): Promise<PolicyPage | undefined>;
}

/** Undefined where there is no such project. */
type FirstPage = PolicyPage | undefined | Failed;

/** Projects in one statement (rule bounded-lookups). */
const PROJECTS_MAX = 256;
/** Statements of one read in which some projects fail alone; what then is left fails with them. */
const RUNS_MAX = 64;
/** A longer list, which only plain SQL can make, would take the memory of the others. */
const POLICIES_MAX = 100_000;
/** How often a list is read that changes while it is read. */
const ATTEMPTS_MAX = 3;

/** Kept like any list, so that a list that is too long is not read for each decision. */
const REFUSAL: PolicyMatcher<PolicyFacts> = {
  match() {
    throw new UnavailableError('database', `a project has more than ${POLICIES_MAX} policies`);
  },
  others: () => [],
};

/**
 * Reads and compiles policy lists. Lists that are asked for while a statement is under way share the
 * next one. It is sent after they were asked for, so it sees every change that the lookups of their
 * decisions saw (rule policy-revision).
 *
 * A long list continues page by page. Pages are read one at a time, those of several projects in
 * turn, and each is compiled before the next is asked for: so however long the lists are, other
 * decisions wait for one page at most (rule policy-pages).
 */
export class PolicyReads {
  readonly #source: PolicySource;
  readonly #batches = new Batcher((projectIds: readonly string[]) => this.#readBatch(projectIds));
  readonly #furtherPages = new SerialQueue();

  constructor(source: PolicySource) {
    this.#source = source;
  }

  /**
   * @returns null when there is no such project
   * @throws UnavailableError when the list kept changing; what the source throws for this project
   */
  async of(projectId: string): Promise<CompiledPolicies | null> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const page = (await this.#batches.add(projectId)).get(projectId);
      if (page instanceof Failed) throw page.error;
      if (page === undefined) return null;
      const compiled = await this.#compile(projectId, page);
      if (compiled !== null) return compiled;
    }
    throw new UnavailableError('database', 'the policies changed while they were read');
  }

  /** @returns null when the list has changed since its first page */
  async #compile(projectId: string, first: PolicyPage): Promise<CompiledPolicies | null> {
    const { revision } = first;
    const matcher = new PolicyCompiler<PolicyFacts>();
    matcher.add(first.policies);
    for (let { next } = first; next !== null && matcher.size <= POLICIES_MAX; ) {
      const after = next;
      const isSame = await this.#furtherPages.run(async () => {
        const page = await this.#source.further(projectId, after);
        if (page?.revision !== revision) return false;
        matcher.add(page.policies);
        next = page.next;
        return true;
      });
      if (!isSame) return null;
    }
    const { size } = matcher;
    return { revision, matcher: size > POLICIES_MAX ? REFUSAL : matcher, size };
  }

  async #readBatch(projectIds: readonly string[]): Promise<ReadonlyMap<string, FirstPage>> {
    const parts: (readonly string[])[] = [];
    for (let from = 0; from < projectIds.length; from += PROJECTS_MAX) {
      parts.push(projectIds.slice(from, from + PROJECTS_MAX));
    }
    const pages = await Promise.all(parts.map((part) => this.#readPart(part)));
    return new Map(pages.flat().map((page, index) => [projectIds[index] ?? '', page]));
  }

  #readPart(projectIds: readonly string[]): Promise<FirstPage[]> {
    const read = async (ids: readonly string[]) => {
      const pages = await this.#source.first(ids);
      return ids.map((projectId) => pages.get(projectId));
    };
    const isOfOneItem = (error: unknown) => !(error instanceof UnavailableError);
    return isolated(projectIds, read, { isOfOneItem, runsMax: RUNS_MAX });
  }
}
