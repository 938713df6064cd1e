import { within } from '@ceiba/schema';
import { type UnavailableDependency, UnavailableError } from './unavailable.ts';

/** Milliseconds on a monotonic clock, such as `performance.now`. */
export type MonotonicClock = () => number;

const monotonicMs: MonotonicClock = () => performance.now();

/**
 * The one deadline of a request, set when it arrives. Every step gets the smaller of its own
 * budget and what is left (rule one-deadline).
 */
export class Deadline {
  #at: number;
  readonly #now: MonotonicClock;

  constructor(totalMs: number, now: MonotonicClock = monotonicMs) {
    this.#now = now;
    this.#at = now() + totalMs;
  }

  /** Milliseconds left; zero or less once it has passed. */
  remainingMs(): number {
    return this.#at - this.#now();
  }

  /** The smaller of a step's own budget and what is left, in ms; never below zero. */
  budgetMs(stepMs: number): number {
    return Math.max(0, Math.min(stepMs, this.remainingMs()));
  }

  /** The deadline of one step: within its own budget, and never after this one. */
  ofStep(stepMs: number): Deadline {
    return new Deadline(this.budgetMs(stepMs), this.#now);
  }

  get isPast(): boolean {
    return this.remainingMs() <= 0;
  }

  /** Settles as `work` does, or rejects with {@link UnavailableError} when the time is over. */
  race<T>(dependency: TooSlow, work: Promise<T>): Promise<T> {
    const late = () => {
      // A timer counts whole milliseconds, so it may end before this clock does.
      this.#at = Math.min(this.#at, this.#now());
      return named(dependency);
    };
    return withinMs(this.remainingMs(), late, work);
  }
}

/** What was too slow, or a function that finds out when the time is over. */
export type TooSlow = UnavailableDependency | (() => UnavailableDependency);

/** Settles as `work` does, or rejects with {@link UnavailableError} after `budgetMs`. */
export function withinMs<T>(budgetMs: number, dependency: TooSlow, work: Promise<T>): Promise<T> {
  return within(budgetMs, work, () => {
    return new UnavailableError(named(dependency), `no answer within ${Math.round(budgetMs)} ms`);
  });
}

const named = (dependency: TooSlow) =>
  typeof dependency === 'function' ? dependency() : dependency;
