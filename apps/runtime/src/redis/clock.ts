import type { MonotonicClock } from '../deadline.ts';

/**
 * How far ahead of this process's clock the server's may be, in ms. Beyond that nothing is charged:
 * windows never go back, so a window of a clock that leapt ahead stays until its time has come
 * (consistency rule 33).
 */
const MOST_AHEAD_MS = 300_000;

/**
 * The Redis server's clock as this process knows it: the last `TIME` that it answered, plus the
 * monotonic time since (consistency rule 14). It lags by at most a reply's way back, so a deadline
 * on it is never too late. Where the server's clock has stepped, the next reply corrects it.
 */
export class RedisClock {
  readonly #now: MonotonicClock;
  readonly #wallClockMs: () => number;
  #observedMs = 0;
  #observedAt = 0;
  #aheadMs = 0;

  /** @param wallClockMs - This process's clock, in ms since 1970. */
  constructor(now: MonotonicClock, wallClockMs: () => number = Date.now) {
    this.#now = now;
    this.#wallClockMs = wallClockMs;
  }

  /**
   * A time that is too far ahead is not taken over, so that of a cluster the node that answered it
   * costs its own projects alone: there, a charge with a deadline on the true time is late.
   *
   * @param timeMs - The server's `TIME` in ms since 1970.
   */
  observe(timeMs: number): void {
    this.#aheadMs = timeMs - this.#wallClockMs();
    if (this.problem !== null) return;
    this.#observedMs = timeMs;
    this.#observedAt = this.#now();
  }

  /**
   * Ms since 1970. Before the first observation a time long past: a charge with such a deadline
   * writes nothing, and its reply says the time.
   */
  estimateMs(): number {
    return this.#observedMs + this.#now() - this.#observedAt;
  }

  /** Why the server's clock is of no use, as last observed; null where it is. */
  get problem(): string | null {
    if (this.#aheadMs <= MOST_AHEAD_MS) return null;
    const seconds = Math.round(this.#aheadMs / 1000);
    return (
      `its clock is ${seconds} s ahead of the clock of this Runtime, which is more than ` +
      `${MOST_AHEAD_MS / 1000} s: set whichever is wrong`
    );
  }
}
