import type { Deadline, MonotonicClock } from '../deadline.ts';

/** The longest wait, as a part of a decision's deadline: 100 ms of 500. */
const WAIT_PART_MAX = 1 / 5;

export interface PaceOptions {
  /** How many refusals are answered per ms. */
  maxPerMs: number;
  deadlineMs: number;
  now: MonotonicClock;
  after?: (waitMs: number, then: () => void) => void;
}

/**
 * Spreads refusals over time (rule early-refusal). A connection sends its next request after its
 * answer, so a flood that is answered at this pace also asks at this pace, and leaves time for
 * decisions.
 */
export class Pace {
  readonly #maxPerMs: number;
  readonly #maxWaitMs: number;
  readonly #now: MonotonicClock;
  readonly #after: (waitMs: number, then: () => void) => void;
  /** When the next refusal may be answered. */
  #freeAt = 0;

  constructor({
    maxPerMs,
    deadlineMs,
    now,
    after = (waitMs, then) => setTimeout(then, waitMs),
  }: PaceOptions) {
    this.#maxPerMs = maxPerMs;
    this.#maxWaitMs = deadlineMs * WAIT_PART_MAX;
    this.#now = now;
    this.#after = after;
  }

  /**
   * Resolves when a refusal may be answered: at once while they are few, and in half of the caller's time
   * at the latest, since some gateways pass on what gets no answer.
   */
  async slot(deadline: Pick<Deadline, 'remainingMs'>): Promise<void> {
    const now = this.#now();
    const at = Math.min(Math.max(this.#freeAt, now), now + this.#maxWaitMs);
    this.#freeAt = at + 1 / this.#maxPerMs;
    const waitMs = Math.floor(Math.min(at - now, deadline.remainingMs() / 2));
    if (waitMs > 0) await new Promise<void>((resolve) => this.#after(waitMs, resolve));
  }
}
