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

  /** Keeps a fact unless a larger number is known. The ledger may change the fact afterwards. */
  keep(fact: UsageFact): void {
    const key = factKey(fact);
    const known = this.#facts.get(key);
    if (known) raise(known, fact.count);
    else if (this.#hasRoom) this.#facts.set(key, fact);
  }

  /**
   * Takes a field of a project's usage hash and its number.
   *
   * @throws UnavailableError where the field does not parse
   */
  keepField(projectId: string, field: string, count: number): void {
    const key = `${projectId}|${field}`;
    const known = this.#facts.get(key);
    if (known) raise(known, count);
    if (known || !this.#hasRoom) return;
    const fact = factOfField(projectId, field, `${count}`);
    if (!fact)
      throw new UnavailableError('redis', 'counted usage under a field that does not parse');
    this.#facts.set(key, fact);
  }

  /** The facts as they are now: the ledger goes on counting. */
  pending(): UsageFact[] {
    return Array.from(this.#facts.values(), (fact) => ({ ...fact }));
  }

  /** Drops the facts that Postgres has stored; a number that has grown since stays. */
  confirm(facts: readonly UsageFact[]): void {
    for (const fact of facts) {
      const key = factKey(fact);
      const known = this.#facts.get(key);
      if (known && known.count <= fact.count) this.#facts.delete(key);
    }
  }

  /** Whether the first number of another fact still fits. */
  get #hasRoom(): boolean {
    return this.#facts.size < this.#mostFacts;
  }
}

function raise(known: UsageFact, count: number): void {
  if (known.count < count) known.count = count;
}
