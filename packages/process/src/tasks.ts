import type { Logger } from './log.ts';

/** Runs one piece of work at a time, in FIFO order. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/**
 * Works on one item after the other, also after one whose work failed.
 *
 * @throws the first error, at the end
 */
export async function tryEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) {
    await work(item).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** Runs one batch at a time; items that arrive meanwhile share the next batch. */
export class Batcher<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<Result>;
  readonly #queue = new SerialQueue();
  #collecting: { items: Item[]; result: Promise<Result> } | null = null;

  constructor(run: (items: readonly Item[]) => Promise<Result>) {
    this.#run = run;
  }

  /** @returns the result of the whole batch */
  add(...items: readonly Item[]): Promise<Result> {
    this.#collecting ??= this.#open();
    this.#collecting.items.push(...items);
    return this.#collecting.result;
  }

  #open() {
    const items: Item[] = [];
    const result = this.#queue.run(() => {
      this.#collecting = null;
      return this.#run(items);
    });
    return { items, result };
  }
}

/** Runs work once for all who ask while it is under way. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

/** How long the outcome of a check is shared, in ms: a repair shows within a second. */
const SHARED_FOR_MS = { success: 5_000, failure: 1_000 };

/** A check that runs at most once in five seconds, and once a second while it fails, however many ask. */
export class SharedCheck {
  readonly #check: () => Promise<void>;
  readonly #now: () => number;
  #last: { startedAt: number; outcome: Promise<void>; sharedForMs: number } | null = null;

  constructor(check: () => Promise<void>, now = () => performance.now()) {
    this.#check = check;
    this.#now = now;
  }

  /** Settles as the last run did or does. */
  run(): Promise<void> {
    const now = this.#now();
    if (this.#last === null || now - this.#last.startedAt >= this.#last.sharedForMs) {
      const run = { startedAt: now, outcome: this.#check(), sharedForMs: SHARED_FOR_MS.success };
      this.#last = run;
      // Also where everyone who asked has stopped waiting.
      run.outcome.catch(() => {
        run.sharedForMs = SHARED_FOR_MS.failure;
      });
    }
    return this.#last.outcome;
  }
}

export interface BackgroundTaskOptions {
  /** Completes "… is failing" and "… works again" in the log. */
  name: string;
  /** Runs the task once. The signal is aborted when the task is stopped, also before a last run. */
  run(signal: AbortSignal): Promise<void>;
  /** How much waits to be done. Where it is given, `stop` runs the task a last time. */
  waiting?(): number;
  /** The pause after a run, in ms. */
  pauseMs(run: { isDone: boolean; tookMs: number }): number;
  /** Whether something else has already logged an error of `run`. */
  isReported?(error: unknown): boolean;
  log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Repeats a task, at once and then after each pause, never twice at the same time. A failed run is
 * repeated too; the log says once that the task is failing, and once that it works again.
 */
export class BackgroundTask {
  readonly #options: BackgroundTaskOptions;
  readonly #queue = new SerialQueue();
  readonly #stopped = new AbortController();
  #repetition: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #endedAt = 0;
  /** When the last run that succeeded began; before the first one, when the task was created. */
  #doneAt = performance.now();
  /** When the next run is due; before any moment while one is under way. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(options: BackgroundTaskOptions) {
    this.#options = options;
    this.#repeat();
  }

  /** Time since the start of the last run that succeeded, in ms: older work is done. */
  get lagMs(): number {
    return performance.now() - this.#doneAt;
  }

  /** Runs once more, after a run that is under way. Never rejects. */
  async runNow(): Promise<void> {
    await this.#queue.run(() => this.#attempt());
  }

  /** Starts the next run this many ms after the last one ended, unless it is due before. */
  hurry(pauseMs: number): void {
    if (!this.#stopped.signal.aborted && this.#endedAt + pauseMs < this.#dueAt) {
      clearTimeout(this.#timer);
      this.#waitUntil(this.#endedAt + pauseMs);
    }
  }

  /**
   * Ends the repetition; resolves when a run under way is over, and a last one where something may wait.
   * Never rejects: the log has what the last run left.
   */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#repetition;
    await this.#queue.run(() => this.#finish());
  }

  async #finish(): Promise<void> {
    const { name, run, waiting, log } = this.#options;
    if (waiting === undefined) return;
    const err: unknown = await run(this.#stopped.signal).catch((error: unknown) => error);
    const left = waiting();
    if (err !== undefined || left > 0) log.warn({ err, left }, `${name} did not finish`);
  }

  #repeat(): void {
    this.#dueAt = Number.NEGATIVE_INFINITY;
    const startedAt = performance.now();
    this.#repetition = this.#queue.run(async () => {
      if (this.#stopped.signal.aborted) return;
      const isDone = await this.#attempt();
      this.#endedAt = performance.now();
      const tookMs = this.#endedAt - startedAt;
      const pauseMs = this.#options.pauseMs({ isDone, tookMs });
      if (!this.#stopped.signal.aborted) this.#waitUntil(this.#endedAt + pauseMs);
    });
  }

  #waitUntil(time: number): void {
    this.#dueAt = time;
    this.#timer = setTimeout(() => this.#repeat(), Math.max(0, time - performance.now()));
  }

  async #attempt(): Promise<boolean> {
    const { name, run, isReported, log } = this.#options;
    const { signal } = this.#stopped;
    const startedAt = performance.now();
    try {
      await run(signal);
      this.#doneAt = startedAt;
      if (this.#isFailing) log.info(`${name} works again`);
      this.#isFailing = false;
      return true;
    } catch (error) {
      if (signal.aborted || isReported?.(error)) return false;
      if (!this.#isFailing) log.warn({ err: error }, `${name} is failing`);
      this.#isFailing = true;
      return false;
    }
  }
}
