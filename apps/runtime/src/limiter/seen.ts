import { LRUCache } from 'lru-cache';

/** The counts that a charge reported for one counter: of that minute and of its month. */
export interface SeenCounter {
  /** The lifetime of the counter that the counts come from. */
  lineage: string;
  minute: number;
  minuteCount: number;
  monthCount: number;
}

const NOTHING_SEEN: SeenCounter = { lineage: '-', minute: 0, minuteCount: 0, monthCount: 0 };

function copyInto(held: SeenCounter, { lineage, minute, minuteCount, monthCount }: SeenCounter) {
  // The name comes anew with each reply; the one that is held is equal but for a new lifetime.
  if (held.lineage !== lineage) held.lineage = lineage;
  held.minute = minute;
  held.minuteCount = minuteCount;
  held.monthCount = monthCount;
}

/**
 * The last counts that this process has seen, per counter. Each charge sends them, so that a Redis
 * that was wiped or rolled back loses only what no living Runtime has seen (consistency rule 12).
 * An LRU cache: by the time a counter is evicted, Postgres has its usage.
 */
export class SeenCounters {
  readonly #seen: LRUCache<string, SeenCounter>;

  constructor(max = 65_536) {
    this.#seen = new LRUCache({ max });
  }

  get(counterKey: string): SeenCounter {
    return this.#seen.get(counterKey) ?? NOTHING_SEEN;
  }

  /** Changes the counter that it holds: a new object per charge would outlive its collector's nursery. */
  set(counterKey: string, counter: SeenCounter): void {
    const held = this.#seen.get(counterKey);
    if (held === undefined) this.#seen.set(counterKey, counter);
    else copyInto(held, counter);
  }
}
