import { UnavailableError } from '../unavailable.ts';
import { factKey, type UsageFact } from './facts.ts';
import { factOfField } from './hash.ts';

/** Beyond this many facts, the counts of charges stay in Redis until the sweep adopts them. */
const MOST_FACTS = 100_000;

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
    const key = factKey(fact);
    if (this.#isNews(this.#facts.get(key), fact.count)) this.#facts.set(key, fact);
  }

  /**
   * Takes a field of a project's usage hash and its number.
   *
   * @throws UnavailableError where the field does not parse
   */
  keepField(projectId: string, field: string, count: number): void {
    const key = `${projectId}|${field}`;
    const known = this.#facts.get(key);
    if (!this.#isNews(known, count)) return;
    const fact = known ? { ...known, count } : factOfField(projectId, field, `${count}`);
    if (!fact)
      throw new UnavailableError('redis', 'counted usage under a field that does not parse');
    this.#facts.set(key, fact);
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

  /** Whether a count is larger than the known one, or the first of a fact that still fits. */
  #isNews(known: UsageFact | undefined, count: number): boolean {
    return known ? known.count < count : this.#facts.size < this.#mostFacts;
  }
}
