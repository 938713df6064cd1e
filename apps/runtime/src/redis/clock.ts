import type { MonotonicClock } from '../deadline.ts';

/**
 * How far the server's clock may be ahead of this process's clock, in ms. Beyond that nothing is
 * charged: windows never go back, so a window in the future would block the project until then
 * (rule clock-leap).
 */
const AHEAD_MS_MAX = 300_000;

/**
 * Estimates the Redis server's clock: the last `TIME` reply plus the monotonic time since
 * (rule charge-deadline). The estimate lags by the network delay of the reply, so a deadline on it
 * is never too late. After the server's clock was set, the next reply corrects the estimate.
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
   * Ignores a time that is too far ahead. In a cluster, only the projects on the node with that clock
   * are affected: there a charge with a deadline on the true time is late.
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
   * In ms since 1970. Before the first reply a time close to 1970: a charge with such a deadline
   * writes nothing, and its reply contains the time.
   */
  estimateMs(): number {
    return this.#observedMs + this.#now() - this.#observedAt;
  }

  /** Why the last observed time cannot be used; null where it can. */
  get problem(): string | null {
    if (this.#aheadMs <= AHEAD_MS_MAX) return null;
    const seconds = Math.round(this.#aheadMs / 1000);
    return (
      `its clock is ${seconds} s ahead of the clock of this Runtime, which is more than ` +
      `${AHEAD_MS_MAX / 1000} s: set whichever is wrong`
    );
  }
}
