import type { Logger } from '@ceiba/process/log';
import { BackgroundTask } from '@ceiba/process/tasks';
import type { NewDecision } from '@ceiba/schema';
import type { DecisionReceiver } from './otlp.ts';

export interface DecisionExporterOptions {
  /** Called once, before the first decision is sent. */
  open(): Promise<DecisionReceiver>;
  /** In ms, monotonic. */
  now(): number;
  log: Pick<Logger, 'info' | 'warn'>;
  limits?: Partial<typeof EXPORT_LIMITS>;
  /** From the end of one export to the start of the next, in ms. */
  intervalMs?: number;
  /** How long a Runtime that stops waits for the receiver, in ms. */
  stopBudgetMs?: number;
}

export const EXPORT_LIMITS = {
  /** How many decisions wait for the receiver. */
  waiting: 5_000,
  /** How many decisions one request sends. */
  perRequest: 500,
};

/** How often the log says how many decisions were lost, in ms. */
const REPORT_EVERY_MS = 60_000;
const STOP_BUDGET_MS = 2_000;

/**
 * Sends decisions to another engine for logs, as they are made and without the cap of the table. No
 * decision waits for it: what finds no room, or is refused after the retries of the SDK, is lost,
 * and the log says how many.
 */
export class DecisionExporter {
  readonly #options: DecisionExporterOptions;
  readonly #limits: typeof EXPORT_LIMITS;
  /** Also those that are being sent. */
  readonly #waiting: NewDecision[] = [];
  readonly #task: BackgroundTask;
  #receiver: DecisionReceiver | undefined;
  #lost = 0;
  /** Of the lost ones, how many the log has named. */
  #reported = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DecisionExporterOptions) {
    this.#options = options;
    this.#limits = { ...EXPORT_LIMITS, ...options.limits };
    const { intervalMs = 1_000, log } = options;
    this.#task = new BackgroundTask({
      name: 'exporting the decision log',
      run: (signal) => this.#send(signal),
      pauseMs: () => intervalMs,
      log,
    });
  }

  add(decision: NewDecision): void {
    if (this.#waiting.length < this.#limits.waiting) this.#waiting.push(decision);
    else this.#lost += 1;
  }

  /** How many decisions wait for the receiver. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How many decisions were lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** Sends what waits, after an export that is under way. Never rejects. */
  flushNow(): Promise<void> {
    return this.#task.runNow();
  }

  /** Sends a last time, for at most two seconds, and reports what was lost. Never rejects. */
  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.stopBudgetMs ?? STOP_BUDGET_MS);
    });
    await Promise.race([this.#finish(), timeUp]);
    clearTimeout(timer);
    this.#lost += this.#waiting.splice(0).length;
    this.#report();
  }

  async #finish(): Promise<void> {
    await this.#task.stop();
    await this.flushNow();
    await this.#receiver?.close().catch(() => {});
  }

  /** @throws Error that says what to do, with the error of the SDK as its cause */
  async #send(signal: AbortSignal): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        this.#receiver ??= await this.#options.open();
        const batch = this.#waiting.slice(0, this.#limits.perRequest);
        try {
          await this.#receiver.send(batch);
        } catch (error) {
          this.#lost += batch.length;
          throw error;
        } finally {
          this.#waiting.splice(0, batch.length);
        }
      }
    } catch (error) {
      throw new Error(ADVICE, { cause: error });
    } finally {
      const isDue = this.#options.now() - this.#reportedAt >= REPORT_EVERY_MS;
      if (isDue && !signal.aborted) this.#report();
    }
  }

  #report(): void {
    const lost = this.#lost - this.#reported;
    if (lost === 0) return;
    this.#options.log.warn({ lost }, 'decisions were not exported');
    this.#reported = this.#lost;
    this.#reportedAt = this.#options.now();
  }
}

const ADVICE =
  'decisions go on without it, and what is lost is counted; docs/run/decision-log.md says what to check';
