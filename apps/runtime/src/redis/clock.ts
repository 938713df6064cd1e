import type { MonotonicClock } from '../deadline.ts';

/**
 * The Redis server's clock as this process knows it: the last `TIME` that it was told, plus the
 * monotonic time since (consistency rule 14). It lags by at most a reply's way back, so a deadline
 * on it is never too late. Where the server's clock has stepped, the next reply corrects it.
 */
export class RedisClock {
  readonly #now: MonotonicClock;
  #toldMs = 0;
  #toldAt = 0;

  constructor(now: MonotonicClock) {
    this.#now = now;
  }

  /** @param timeMs - The server's `TIME` in ms since 1970. */
  observe(timeMs: number): void {
    this.#toldMs = timeMs;
    this.#toldAt = this.#now();
  }

  /** Ms since 1970; before the first observation a time long past, which charges nothing. */
  estimateMs(): number {
    return this.#toldMs + this.#now() - this.#toldAt;
  }
}
