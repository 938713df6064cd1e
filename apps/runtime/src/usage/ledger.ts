import { UnavailableError } from '../unavailable.ts';
import { factName, type UsageFact } from './facts.ts';
import { factOfField } from './hash.ts';

/** Beyond this many facts, the counts of charges stay in Redis until the sweep adopts them. */
const FACTS_MAX = 100_000;

/** The facts of one project, by their names. */
type ProjectFacts = Map<string, UsageFact>;

/**
 * Keeps the largest number per fact until Postgres has confirmed it (rule confirmed-flush). Facts
 * are found by project and then by name, since joining the two for each decision costs more than a
 * second map.
 */
export class UsageLedger {
  readonly #projects = new Map<string, ProjectFacts>();
  readonly #maxFacts: number;
  #size = 0;

  constructor(maxFacts = FACTS_MAX) {
    this.#maxFacts = maxFacts;
  }

  /** The number of unconfirmed facts. */
  get size(): number {
    return this.#size;
  }

  /** Keeps a fact unless a larger number is known. The ledger may change the fact afterwards. */
  keep(fact: UsageFact): void {
    const name = factName(fact);
    if (this.#raise(fact.projectId, name, fact.count)) this.#add(name, fact);
  }

  /**
   * Takes a field of a project's usage hash and its number.
   *
   * @throws UnavailableError where the field does not parse
   */
  keepField(projectId: string, field: string, count: number): void {
    if (!this.#raise(projectId, field, count)) return;
    const fact = factOfField(projectId, field, `${count}`);
    if (!fact)
      throw new UnavailableError('redis', 'counted usage under a field that does not parse');
    this.#add(field, fact);
  }

  /** Keeps when a key was last allowed, in ms since 1970. */
  keepLastUse(projectId: string, apiKeyId: string, atMs: number): void {
    if (!this.#raise(projectId, apiKeyId, atMs)) return;
    this.#add(apiKeyId, { kind: 'lastUse', projectId, apiKeyId, count: atMs });
  }

  /** The facts as they are now: the ledger goes on counting. */
  pending(): UsageFact[] {
    const facts: UsageFact[] = [];
    for (const ofProject of this.#projects.values()) {
      for (const fact of ofProject.values()) facts.push({ ...fact });
    }
    return facts;
  }

  /** Drops the facts that Postgres has stored; a number that has grown since stays. */
  confirm(facts: readonly UsageFact[]): void {
    for (const fact of facts) {
      const name = factName(fact);
      const ofProject = this.#projects.get(fact.projectId);
      const known = ofProject?.get(name);
      if (!ofProject || !known || known.count > fact.count) continue;
      ofProject.delete(name);
      this.#size -= 1;
      if (ofProject.size === 0) this.#projects.delete(fact.projectId);
    }
  }

  /** @returns whether the fact is not known, and there is room for it */
  #raise(projectId: string, name: string, count: number): boolean {
    const known = this.#projects.get(projectId)?.get(name);
    if (known === undefined) return this.#size < this.#maxFacts;
    if (known.count < count) known.count = count;
    return false;
  }

  #add(name: string, fact: UsageFact): void {
    const ofProject = this.#projects.get(fact.projectId) ?? new Map<string, UsageFact>();
    this.#projects.set(fact.projectId, ofProject.set(name, fact));
    this.#size += 1;
  }
}
