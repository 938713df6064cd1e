import type { Logger } from '@ceiba/process/log';
import { BackgroundTask } from '@ceiba/process/tasks';
import type { DecisionFailureCount } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';

export interface FailureCounterOptions {
  write: (rows: readonly DecisionFailureCount[], budgetMs: number) => Promise<void>;
  /** Letters and digits only; unique among all processes. */
  incarnation: string;
  /** The current time in ms since 1970. */
  wallClockMs: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
  intervalMs?: number;
  /** The most numbers that wait for Postgres. */
  most?: number;
}

const WRITE_BUDGET_MS = 2_000;
const MS_PER_MINUTE = 60_000;

/**
 * Counts what was answered with 503 by project and minute: requests, and single questions of a batch
 * (one that fails as a whole counts once). It writes the numbers to Postgres, where alerts are made of
 * them. During an outage of Postgres the numbers wait in memory.
 */
export class FailureCounter {
  readonly #options: FailureCounterOptions;
  /** Numbers that Postgres may lack. Each is removed once it is written and its minute is over. */
  readonly #counts = new Map<string, DecisionFailureCount>();
  readonly #task: BackgroundTask;

  constructor(options: FailureCounterOptions) {
    this.#options = options;
    const { intervalMs = 1_000, log } = options;
    this.#task = new BackgroundTask({
      name: 'writing the numbers of failed decisions',
      run: () => this.#write(),
      pauseMs: () => intervalMs,
      // The outage itself is logged where decisions fail.
      isReported: (error) => error instanceof UnavailableError,
      log,
    });
  }

  /**
   * Counts an outage; ignores every other error, and a request whose body did not arrive.
   *
   * @param projectId Of a call whose secret is proven: no one else makes an alert of a project.
   */
  count(projectId: string, error: unknown): void {
    if (!(error instanceof UnavailableError) || error.dependency === 'caller') return;
    const minute = this.#minute();
    const key = `${projectId}|${minute}|${error.dependency}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      const { most = 10_000, incarnation } = this.#options;
      if (this.#counts.size >= most) return;
      count = { projectId, minute, cause: error.dependency, incarnation, failed: 0 };
      this.#counts.set(key, count);
    }
    count.failed += 1;
  }

  /** Time since the start of the last write that succeeded, in ms. */
  get lagMs(): number {
    return this.#task.lagMs;
  }

  /** Ends the repetition and writes a last time. Never rejects. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.#task.runNow();
  }

  #minute(): number {
    return Math.floor(this.#options.wallClockMs() / MS_PER_MINUTE);
  }

  async #write(): Promise<void> {
    if (this.#counts.size === 0) return;
    const written = [...this.#counts].map(([key, count]) => ({ key, ...count }));
    await this.#options.write(written, WRITE_BUDGET_MS);
    const minute = this.#minute();
    for (const { key, failed, ...row } of written) {
      const isOver = row.minute < minute && this.#counts.get(key)?.failed === failed;
      if (isOver) this.#counts.delete(key);
    }
  }
}
