import { factKey, type UsageFact } from './facts.ts';
import { factOfField } from './hash.ts';

/** Beyond this many facts, the counts of charges stay in Redis until the sweep adopts them. */
const MOST_FACTS = 500_000;

/** Keeps the largest number per fact until Postgres has confirmed it (consistency rule 16). */
export class UsageLedger {
  readonly #facts = new Map<string, UsageFact>();
  readonly #mostFacts: number;

  constructor(mostFacts = MOST_FACTS) {
    this.#mostFacts = mostFacts;
  }

  /** The number of unconfirmed facts. */
  get size(): number {
    return this.#facts.size;
  }

  /** Keeps a fact unless a larger number is known. The caller must not change the fact afterwards. */
  keep(fact: UsageFact): void {
    this.#keep(factKey(fact), fact.count, () => fact);
  }

  /**
   * Takes a field of a project's usage hash and its number.
   *
   * @throws Error where the field does not parse
   */
  keepField(projectId: string, field: string, count: number): void {
    this.#keep(`${projectId}|${field}`, count, (known) => {
      const fact = known ? { ...known, count } : factOfField(projectId, field, `${count}`);
      if (!fact) throw new Error('Redis counted usage under a field that does not parse');
      return fact;
    });
  }

  pending(): UsageFact[] {
    return [...this.#facts.values()];
  }

  /** Drops the facts that Postgres has stored; a number that has grown since stays. */
  confirm(facts: readonly UsageFact[]): void {
    for (const fact of facts) {
      const key = factKey(fact);
      const known = this.#facts.get(key);
      if (known && known.count <= fact.count) this.#facts.delete(key);
    }
  }

  #keep(key: string, count: number, factAfter: (known?: UsageFact) => UsageFact): void {
    const known = this.#facts.get(key);
    if (known ? known.count >= count : this.#facts.size >= this.#mostFacts) return;
    this.#facts.set(key, factAfter(known));
  }
}
