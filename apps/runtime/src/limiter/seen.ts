import { LRUCache } from 'lru-cache';

/**
 * The counters as this process has last seen them, by their keys, in the form in which Redis keeps
 * them. Each charge sends them, so that a Redis that was wiped or rolled back loses only what no living
 * Runtime has seen (rule seen-counts). Where the two are equal, nothing was lost.
 * An LRU cache: unless flushes fail, Postgres has a counter's usage by the time it is evicted.
 */
export type SeenCounters = LRUCache<string, string>;

export const createSeenCounters = (max = 65_536): SeenCounters => new LRUCache({ max });
