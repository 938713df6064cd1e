import { factKey, type UsageFact } from './facts.ts';

/** The most facts held at a time; what a charge counted beyond them waits in Redis for the sweep. */
const MOST_FACTS = 500_000;

/** Keeps the largest number per fact until Postgres has confirmed it (consistency rule 16). */
export class UsageLedger {
  readonly #facts = new Map<string, UsageFact>();
  readonly #mostFacts: number;

  constructor(mostFacts = MOST_FACTS) {
    this.#mostFacts = mostFacts;
  }

  /** How many facts Postgres has yet to confirm. */
  get size(): number {
    return this.#facts.size;
  }

  /** Takes a fact unless a larger number is known. The fact must not be changed afterwards. */
  keep(fact: UsageFact): void {
    const key = factKey(fact);
    const known = this.#facts.get(key);
    if (known ? known.count >= fact.count : this.#facts.size >= this.#mostFacts) return;
    this.#facts.set(key, fact);
  }

  /** Everything unconfirmed as of now. */
  pending(): UsageFact[] {
    return [...this.#facts.values()];
  }

  /** Drops what Postgres has; a number that has grown since stays. */
  confirm(facts: readonly UsageFact[]): void {
    for (const fact of facts) {
      const key = factKey(fact);
      const known = this.#facts.get(key);
      if (known && known.count <= fact.count) this.#facts.delete(key);
    }
  }
}
