import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { TaskHealth } from './health.ts';
import { type RepeatedTask, repeat } from './repeat.ts';

/** One short step of a longer task; somebody else may be at it, which counts as complete. */
export type UpkeepStep = () => Promise<{ isComplete: boolean }>;

export interface UpkeepOptions {
  /** Each is taken step by step until it is complete, one after the other. */
  tasks: readonly UpkeepStep[];
  log: Pick<Logger, 'info' | 'warn'>;
  /** The pause between two rounds, in ms. */
  intervalMs?: number;
}

const HOUR_MS = 3_600_000;
const RETRY_MS = 60_000;
/** A step is followed by a pause of four times its length: upkeep takes a fifth of a connection. */
const PAUSE_FACTOR = 4;

/** Keeps what is in Postgres small and quick to read, at start and once an hour. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #health: TaskHealth;
  readonly #repeated: RepeatedTask;
  readonly #stopped = new AbortController();

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#health = new TaskHealth('upkeep of usage and the audit log', options.log);
    this.#repeated = repeat(async () => {
      const isDone = await this.#round();
      return isDone ? (options.intervalMs ?? HOUR_MS) : RETRY_MS;
    });
  }

  /** Takes no further step. One under way is left to the connection that is closed below it. */
  stop(): void {
    this.#stopped.abort();
    void this.#repeated.stop();
  }

  async #round(): Promise<boolean> {
    try {
      for (const step of this.#options.tasks) await this.#takeSteps(step);
      this.#health.worked();
      return true;
    } catch (fault) {
      if (!this.#stopped.signal.aborted) this.#health.failed(fault);
      return false;
    }
  }

  async #takeSteps(step: UpkeepStep): Promise<void> {
    for (let isComplete = false; !isComplete; ) {
      const startedAt = performance.now();
      ({ isComplete } = await step());
      const tookMs = performance.now() - startedAt;
      await pause(tookMs * PAUSE_FACTOR, undefined, { signal: this.#stopped.signal });
    }
  }
}
