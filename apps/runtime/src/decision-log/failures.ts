import type { Logger } from '@ceiba/process/log';
import { BackgroundTask } from '@ceiba/process/tasks';
import type { DecisionFailureCount } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';
import { MinuteCounts } from './minute-counts.ts';

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

type Failures = Pick<DecisionFailureCount, 'projectId' | 'cause'>;

/**
 * Counts what was answered with 503 by project and minute: requests, and single questions of a batch
 * (one that fails as a whole counts once). It writes the numbers to Postgres, where alerts are made of
 * them. During an outage of Postgres the numbers wait in memory.
 */
export class FailureCounter {
  readonly #options: FailureCounterOptions;
  readonly #counts: MinuteCounts<Failures>;
  readonly task: BackgroundTask;

  constructor(options: FailureCounterOptions) {
    this.#options = options;
    const { intervalMs = 1_000, most = 10_000, log } = options;
    this.#counts = new MinuteCounts({ ...options, waitingMax: most });
    this.task = new BackgroundTask({
      name: 'writing the numbers of failed decisions',
      run: () => this.#write(),
      waiting: () => this.#counts.waiting,
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
    const { dependency: cause } = error;
    const count = this.#counts.of(`${projectId}|${cause}`, () => ({ projectId, cause }));
    this.#counts.raise(count);
  }

  #write(): Promise<void> {
    return this.#counts.write((rows) => {
      const failures = rows.map(({ count: failed, ...row }) => ({ ...row, failed }));
      return this.#options.write(failures, WRITE_BUDGET_MS);
    });
  }
}
