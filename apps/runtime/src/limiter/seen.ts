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

/**
 * The last counts that this process has seen, per counter. Each charge sends them, so that a Redis
 * that was wiped or rolled back loses only what no living Runtime has seen (rule seen-counts).
 * An LRU cache: unless flushes fail, Postgres has a counter's usage by the time it is evicted.
 */
export class SeenCounters {
  readonly #seen: LRUCache<string, SeenCounter>;

  constructor(max = 65_536) {
    this.#seen = new LRUCache({ max });
  }

  get(counterKey: string): SeenCounter {
    return this.#seen.get(counterKey) ?? NOTHING_SEEN;
  }

  /** Keeps one object per counter: a new one with each charge is work for the garbage collector. */
  set(counterKey: string, counter: SeenCounter): void {
    const held = this.#seen.get(counterKey);
    if (held === undefined) {
      this.#seen.set(counterKey, { ...counter });
      return;
    }
    // An equal name is a new string in each reply.
    if (held.lineage !== counter.lineage) held.lineage = counter.lineage;
    held.minute = counter.minute;
    held.minuteCount = counter.minuteCount;
    held.monthCount = counter.monthCount;
  }
}
