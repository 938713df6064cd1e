import type { MonotonicClock } from '../deadline.ts';

/** Decisions are fast while some take less than this part of their deadline: 20 ms of 500. */
const FAST_PART = 1 / 25;
/** How long no decision may be fast before there is an overload, as a part of the deadline. */
const PERIOD_PART = 1 / 5;
/** So many requests may always be in flight. */
const SMALLEST_LIMIT = 64;
/** By how much the limit rises after a period in which it refused requests and decisions were fast. */
const GROWTH = 1.25;

export interface AdmissionOptions {
  /** In flight, of all requests together. */
  maxDecisions: number;
  /** The time that a decision may take, in ms. */
  deadlineMs: number;
  now: MonotonicClock;
  /** Called for each request that leaves, with the time since it was admitted, in ms. */
  onAnswer?: (tookMs: number) => void;
}

/** What is in flight. */
export interface AdmissionState {
  requests: number;
  decisions: number;
  /** How many requests may be in flight before some are refused. */
  limit: number;
}

/** A request in flight; it counts as one decision until `countAs`. */
export interface Admitted {
  /**
   * A batch may exceed the limit of decisions while no other request is in flight.
   *
   * @returns false, and counts as before, where there is no room or the request has left
   */
  countAs(decisions: number): boolean;
  /** Frees its places; call it once. */
  leave(): void;
}

/**
 * Refuses requests early when more arrive than can be decided (consistency rule 39).
 *
 * A queue shows in the fastest decision: while even that one is slow for a whole period, requests
 * wait for each other. From then on only as many are in flight as are decided within the time of a
 * fast decision, and a project that has less than its equal share of them in flight is still admitted.
 * Short bursts and single slow decisions are no overload.
 */
export class Admission {
  readonly #maxDecisions: number;
  readonly #fastMs: number;
  readonly #periodMs: number;
  readonly #now: MonotonicClock;
  readonly #onAnswer: ((tookMs: number) => void) | undefined;
  readonly #requestsOf = new Map<string, number>();
  #requests = 0;
  #decisions = 0;
  /** Of requests in flight. */
  #limit = Number.POSITIVE_INFINITY;
  #period: Period;

  constructor({ maxDecisions, deadlineMs, now, onAnswer }: AdmissionOptions) {
    this.#maxDecisions = maxDecisions;
    this.#fastMs = deadlineMs * FAST_PART;
    this.#periodMs = deadlineMs * PERIOD_PART;
    this.#now = now;
    this.#onAnswer = onAnswer;
    this.#period = newPeriod(now());
  }

  get state(): AdmissionState {
    const limit = Math.min(this.#limit, this.#maxDecisions);
    return { requests: this.#requests, decisions: this.#decisions, limit };
  }

  /** @returns null where the request has to be refused */
  admit(projectId: string): Admitted | null {
    const admittedAt = this.#now();
    if (this.#requests === 0) this.#startWithoutLimit(admittedAt);
    else this.#judgePeriod(admittedAt);
    if (this.#decisions >= this.#maxDecisions || this.#isBeyondShare(projectId)) {
      this.#period.refused += 1;
      return null;
    }
    this.#count(projectId, 1);
    let decisions = 1;
    return {
      countAs: (count) => {
        const others = this.#decisions - decisions;
        if (decisions === 0 || (others > 0 && others + count > this.#maxDecisions)) return false;
        this.#decisions = others + count;
        decisions = count;
        return true;
      },
      leave: () => {
        this.#decisions -= decisions - 1;
        decisions = 0;
        this.#count(projectId, -1);
        this.#noteAnswer(admittedAt);
      },
    };
  }

  #isBeyondShare(projectId: string): boolean {
    if (this.#requests < this.#limit) return false;
    const own = this.#requestsOf.get(projectId) ?? 0;
    const projects = this.#requestsOf.size + (own === 0 ? 1 : 0);
    return own + 1 > this.#limit / projects;
  }

  #count(projectId: string, change: 1 | -1): void {
    const own = (this.#requestsOf.get(projectId) ?? 0) + change;
    if (own === 0) this.#requestsOf.delete(projectId);
    else this.#requestsOf.set(projectId, own);
    this.#requests += change;
    this.#decisions += change;
  }

  #noteAnswer(admittedAt: number): void {
    const tookMs = this.#now() - admittedAt;
    this.#period.answered += 1;
    this.#period.fastestMs = Math.min(this.#period.fastestMs, tookMs);
    this.#onAnswer?.(tookMs);
  }

  /** Nothing waits, and the time without requests says nothing about how fast decisions are. */
  #startWithoutLimit(now: number): void {
    this.#limit = Number.POSITIVE_INFINITY;
    this.#period = newPeriod(now);
  }

  /** Once a period is over, its decisions set the limit for the next one. */
  #judgePeriod(now: number): void {
    const { startedAt, answered, fastestMs, refused } = this.#period;
    const tookMs = now - startedAt;
    if (tookMs < this.#periodMs || answered === 0) return;
    if (fastestMs > this.#fastMs) {
      this.#limit = Math.max(SMALLEST_LIMIT, (answered * this.#fastMs) / tookMs);
    } else {
      this.#limit = refused === 0 ? Number.POSITIVE_INFINITY : this.#limit * GROWTH;
    }
    this.#period = newPeriod(now);
  }
}

interface Period {
  startedAt: number;
  answered: number;
  fastestMs: number;
  refused: number;
}

const newPeriod = (startedAt: number): Period => ({
  startedAt,
  answered: 0,
  fastestMs: Number.POSITIVE_INFINITY,
  refused: 0,
});
