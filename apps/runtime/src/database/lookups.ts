import type { LookupItem, LookupRow } from '@ceiba/schema';
import type { Deadline } from '../deadline.ts';
import { type RoundTrips, UNOBSERVED } from '../metrics/round-trips.ts';
import { UnavailableError } from '../unavailable.ts';

/** Carries a batch to Postgres; see `LookupLane`. */
export interface Lane {
  readonly isUp: boolean;
  readonly isIdle: boolean;
  run(items: readonly LookupItem[]): Promise<(LookupRow | Error)[]>;
}

export interface LookupLimits {
  /** Items in one statement. */
  maxBatch: number;
  /** Requests that may wait for a statement, in all and for one project. */
  maxWaiting: number;
  maxWaitingPerProject: number;
}

export const LOOKUP_LIMITS: LookupLimits = {
  maxBatch: 256,
  maxWaiting: 8_192,
  maxWaitingPerProject: 4_096,
};

interface Waiter {
  deadline: Deadline;
  askedAtMs: number;
  resolve: (row: LookupRow) => void;
  reject: (error: Error) => void;
}

interface Entry {
  item: LookupItem;
  waiters: Waiter[];
}

/**
 * Shares round trips: requests that arrive while every lane is busy share the next statement, and
 * equal questions share one row of it. A statement is sent after all of its requests arrived, so it
 * sees every change that was acknowledged before them (rule fresh-lookup).
 */
export class Lookups {
  readonly #lanes: readonly Lane[];
  readonly #limits: LookupLimits;
  readonly #roundTrips: RoundTrips;
  /** In order of arrival. */
  readonly #queue = new Map<string, Entry>();
  readonly #waitingByProject = new Map<string, number>();
  #waiting = 0;
  #scheduled = false;

  constructor(
    lanes: readonly Lane[],
    limits: LookupLimits = LOOKUP_LIMITS,
    roundTrips: RoundTrips = UNOBSERVED,
  ) {
    this.#lanes = lanes;
    this.#limits = limits;
    this.#roundTrips = roundTrips;
  }

  /** Whether there is a connection that takes lookups. */
  get isUp(): boolean {
    return this.#lanes.some((lane) => lane.isUp);
  }

  /** @throws UnavailableError when Postgres fails or the deadline passes */
  find(item: LookupItem, deadline: Deadline): Promise<LookupRow> {
    const refusal = this.#refusal(item.projectId);
    if (refusal !== null) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#enqueue(item, { deadline, askedAtMs: performance.now(), resolve, reject });
      this.schedule();
    });
  }

  /** Sends the waiting lookups after this turn of the event loop, so that more can join them. */
  schedule(): void {
    if (this.#scheduled || this.#queue.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #refusal(projectId: string): UnavailableError | null {
    if (!this.isUp) {
      return new UnavailableError('database', 'no connection');
    }
    const ofProject = this.#waitingByProject.get(projectId) ?? 0;
    const isFull =
      this.#waiting >= this.#limits.maxWaiting || ofProject >= this.#limits.maxWaitingPerProject;
    return isFull ? new UnavailableError('overload', 'too many lookups wait') : null;
  }

  #enqueue(item: LookupItem, waiter: Waiter): void {
    const question = `${item.projectId}${item.apiKeyDigest?.toString('latin1') ?? ''}`;
    const entry = this.#queue.get(question);
    if (entry === undefined) this.#queue.set(question, { item, waiters: [waiter] });
    else entry.waiters.push(waiter);
    this.#count(item.projectId, 1);
  }

  #send(): void {
    if (!this.isUp) {
      this.#failAll(new UnavailableError('database', 'no connection'));
    }
    for (const lane of this.#lanes) {
      if (!lane.isIdle) continue;
      const batch = this.#take();
      if (batch.length === 0) return;
      void this.#serve(lane, batch);
    }
  }

  /** The oldest entries that are still within their deadlines. */
  #take(): Entry[] {
    const batch: Entry[] = [];
    for (const [question, entry] of this.#queue) {
      if (batch.length === this.#limits.maxBatch) break;
      this.#queue.delete(question);
      this.#count(entry.item.projectId, -entry.waiters.length);
      entry.waiters = entry.waiters.filter(unlessPast);
      if (entry.waiters.length > 0) batch.push(entry);
    }
    return batch;
  }

  async #serve(lane: Lane, batch: readonly Entry[]): Promise<void> {
    this.#roundTrips.carried(batch.length);
    const answers = await lane.run(batch.map(({ item }) => item));
    const answeredAtMs = performance.now();
    batch.forEach(({ waiters }, index) => {
      const answer = answers[index] ?? new UnavailableError('database', 'no answer for an item');
      for (const waiter of waiters) {
        this.#roundTrips.took(answeredAtMs - waiter.askedAtMs);
        if (answer instanceof Error) waiter.reject(answer);
        else waiter.resolve(answer);
      }
    });
  }

  #failAll(error: Error): void {
    for (const [question, entry] of this.#queue) {
      this.#queue.delete(question);
      this.#count(entry.item.projectId, -entry.waiters.length);
      for (const waiter of entry.waiters) waiter.reject(error);
    }
  }

  #count(projectId: string, change: number): void {
    this.#waiting += change;
    const ofProject = (this.#waitingByProject.get(projectId) ?? 0) + change;
    if (ofProject === 0) this.#waitingByProject.delete(projectId);
    else this.#waitingByProject.set(projectId, ofProject);
  }
}

function unlessPast({ deadline, reject }: Waiter): boolean {
  const { isPast } = deadline;
  if (isPast) reject(new UnavailableError('overload', 'the deadline passed in the queue'));
  return !isPast;
}
