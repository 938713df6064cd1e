import { Batcher } from '@ceiba/process/tasks';
import type { PolicyList } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';

/** Reads the lists of projects in one statement. @returns those that exist */
export type ReadPolicyLists = (
  projectIds: readonly string[],
) => Promise<ReadonlyMap<string, PolicyList>>;

type Outcome = { list: PolicyList | undefined; error?: never } | { error: unknown; list?: never };

/** Projects in one statement (consistency rule 5). */
const MAX_PROJECTS = 256;

/**
 * Shares round trips: policy lists that are asked for while a statement is under way are read by the
 * next one. It is sent after they were asked for, so it sees every change that the lookups of their
 * decisions saw (rule 6).
 */
export class PolicyReads {
  readonly #read: ReadPolicyLists;
  readonly #batches = new Batcher((projectIds: readonly string[]) => this.#readBatch(projectIds));

  constructor(read: ReadPolicyLists) {
    this.#read = read;
  }

  /**
   * @returns null when there is no such project
   * @throws what `read` throws for this project
   */
  async of(projectId: string): Promise<PolicyList | null> {
    const outcome = (await this.#batches.add(projectId)).get(projectId);
    if (outcome?.error !== undefined) throw outcome.error;
    return outcome?.list ?? null;
  }

  async #readBatch(projectIds: readonly string[]): Promise<ReadonlyMap<string, Outcome>> {
    const outcomes = new Map<string, Outcome>();
    const statements = [];
    for (let from = 0; from < projectIds.length; from += MAX_PROJECTS) {
      statements.push(this.#readInto(outcomes, projectIds.slice(from, from + MAX_PROJECTS)));
    }
    await Promise.all(statements);
    return outcomes;
  }

  /** An error of the statement may be that of a single project, so each is then read alone (rule 4). */
  async #readInto(outcomes: Map<string, Outcome>, projectIds: readonly string[]): Promise<void> {
    try {
      const lists = await this.#read(projectIds);
      for (const projectId of projectIds) outcomes.set(projectId, { list: lists.get(projectId) });
    } catch (error) {
      if (error instanceof UnavailableError || projectIds.length === 1) {
        for (const projectId of projectIds) outcomes.set(projectId, { error });
      } else {
        await Promise.all(projectIds.map((projectId) => this.#readInto(outcomes, [projectId])));
      }
    }
  }
}
