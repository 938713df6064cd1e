import { LRUCache } from 'lru-cache';

/** What a charge told of one counter; the counts are those of that minute and of its month. */
export interface SeenCounter {
  /** Names the unbroken life of the counter that the counts come from. */
  lineage: string;
  minute: number;
  minuteCount: number;
  monthCount: number;
}

const NOTHING_SEEN: SeenCounter = { lineage: '-', minute: 0, minuteCount: 0, monthCount: 0 };

/**
 * What this process has seen of the counters. It goes along with each charge, so that a Redis that
 * was wiped or rolled back loses only what no living Runtime has seen (consistency rule 12).
 * Bounded: a counter that falls out is one that Postgres knows of by now.
 */
export class SeenCounters {
  readonly #seen: LRUCache<string, SeenCounter>;

  constructor(max = 65_536) {
    this.#seen = new LRUCache({ max });
  }

  get(counterKey: string): SeenCounter {
    return this.#seen.get(counterKey) ?? NOTHING_SEEN;
  }

  set(counterKey: string, counter: SeenCounter): void {
    this.#seen.set(counterKey, counter);
  }
}
