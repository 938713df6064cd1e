import type { Logger } from 'pino';

/** Logs when a task that runs again and again begins to fail and when it works again, once each. */
export class TaskHealth {
  readonly #task: string;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #failing = false;

  constructor(task: string, log: Pick<Logger, 'info' | 'warn'>) {
    this.#task = task;
    this.#log = log;
  }

  failed(fault: unknown): void {
    if (!this.#failing) this.#log.warn({ err: fault }, `${this.#task} is failing`);
    this.#failing = true;
  }

  worked(): void {
    if (this.#failing) this.#log.info(`${this.#task} works again`);
    this.#failing = false;
  }
}
