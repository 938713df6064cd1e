import type { MonotonicClock } from '../deadline.ts';

/** The longest wait, as a part of a decision's deadline: 100 ms of 500. */
const LONGEST_WAIT_PART = 1 / 5;

export interface PaceOptions {
  /** How many refusals are answered per ms. */
  mostPerMs: number;
  deadlineMs: number;
  now: MonotonicClock;
  after?: (waitMs: number, then: () => void) => void;
}

/**
 * Spreads refusals over time (consistency rule 39). A connection sends its next request after its
 * answer, so a flood that is answered at this pace also asks at this pace, and leaves time for
 * decisions.
 */
export class Pace {
  readonly #mostPerMs: number;
  readonly #longestWaitMs: number;
  readonly #now: MonotonicClock;
  readonly #after: (waitMs: number, then: () => void) => void;
  /** When the next refusal may be answered. */
  #freeAt = 0;

  constructor({
    mostPerMs,
    deadlineMs,
    now,
    after = (waitMs, then) => setTimeout(then, waitMs),
  }: PaceOptions) {
    this.#mostPerMs = mostPerMs;
    this.#longestWaitMs = deadlineMs * LONGEST_WAIT_PART;
    this.#now = now;
    this.#after = after;
  }

  /** Resolves when a refusal may be answered: at once while they are few. */
  async turn(): Promise<void> {
    const now = this.#now();
    const at = Math.min(Math.max(this.#freeAt, now), now + this.#longestWaitMs);
    this.#freeAt = at + 1 / this.#mostPerMs;
    const waitMs = Math.floor(at - now);
    if (waitMs > 0) await new Promise<void>((resolve) => this.#after(waitMs, resolve));
  }
}
