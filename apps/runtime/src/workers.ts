import type { Worker } from 'node:cluster';
import type { Logger } from '@ceiba/process/log';
import type { MonotonicClock } from './deadline.ts';

/** The part of a worker of `node:cluster` that the primary uses. */
export type WorkerProcess = Pick<Worker, 'id' | 'on' | 'once' | 'emit'> & {
  readonly process: Pick<Worker['process'], 'pid' | 'kill'>;
};

export interface WorkersOptions {
  count: number;
  /** A port on which a worker listens before it listens for decisions: that of Envoy. */
  earlierPort?: number | undefined;
  /** @throws Error where the system has no memory for another process */
  fork(): WorkerProcess;
  /** Ends the primary. */
  exit(code: number): void;
  /** Workers that are still running this many ms after a stop are killed. */
  maxStopMs: number;
  now: MonotonicClock;
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;
}

/** The first worker that exits is replaced after this pause, in ms; each further exit doubles it. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 10_000;
/** An exit no longer counts for the pause after this time, in ms. */
const FORGET_EXIT_MS = 60_000;

/**
 * Keeps a number of workers running. A worker that exits is replaced. If one exits before all of them
 * have listened for the first time, the Runtime cannot start: the others are stopped, and the primary
 * exits with 1.
 */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #running = new Set<WorkerProcess>();
  readonly #listening = new Set<WorkerProcess>();
  readonly #replacements = new Set<NodeJS.Timeout>();
  #recentExits: number[] = [];
  #isStarted = false;
  #isStopping = false;
  #exitCode = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
    options.log.info({ workers: options.count }, 'the Runtime starts its workers');
    for (let started = 0; started < options.count; started += 1) this.#start();
  }

  /** Stops all workers, each of which drains, and exits: with 0 if each of them exited with 0. */
  stop(signal: string): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const { log, maxStopMs } = this.#options;
    log.info({ signal, workers: this.#running.size }, 'the Runtime stops its workers');
    for (const replacement of this.#replacements) clearTimeout(replacement);
    setTimeout(() => this.#killAll(), maxStopMs).unref();
    for (const worker of this.#running) worker.process.kill('SIGTERM');
    this.#exitIfDone();
  }

  #start(): void {
    const { log, count, earlierPort } = this.#options;
    const worker = this.#fork();
    if (worker === null) return;
    this.#running.add(worker);
    log.info({ worker: worker.id, pid: worker.process.pid }, 'started a worker');
    worker.on('listening', ({ port }: { port: number }) => {
      if (port === earlierPort) return;
      this.#listening.add(worker);
      if (this.#listening.size === count) this.#isStarted = true;
    });
    // A process that the system could not create has no pid and no exit.
    worker.on('error', (error) => {
      log.error({ err: error, worker: worker.id }, 'an error of a worker');
      if (worker.process.pid === undefined) worker.emit('exit', null, null);
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      this.#running.delete(worker);
      this.#listening.delete(worker);
      this.#onExit({ worker: worker.id, pid: worker.process.pid, code, signal });
    });
  }

  /** Of an error, it acts as if the worker had exited. */
  #fork(): WorkerProcess | null {
    try {
      return this.#options.fork();
    } catch (error) {
      this.#options.log.error({ err: error }, 'the system could not start another worker');
      this.#onExit({ worker: null, pid: undefined, code: null, signal: null });
      return null;
    }
  }

  #onExit(exit: {
    worker: number | null;
    pid: number | undefined;
    code: number | null;
    signal: string | null;
  }): void {
    const { log } = this.#options;
    if (this.#isStopping) {
      // A worker that has not yet set up its handlers ends by the signal, and has nothing to drain.
      const isEndedByStop = exit.signal === 'SIGTERM' || exit.signal === 'SIGINT';
      if (exit.code !== 0 && !isEndedByStop) {
        log.error(exit, 'a worker stopped with an error');
        this.#exitCode = 1;
      }
      this.#exitIfDone();
    } else if (this.#isStarted) {
      this.#replace(exit);
    } else {
      log.fatal(exit, 'a worker could not start; its own lines in the log say why');
      this.#exitCode = 1;
      this.stop('a worker could not start');
    }
  }

  #replace(exit: object): void {
    const { now, log } = this.#options;
    this.#recentExits = this.#recentExits.filter((at) => now() - at < FORGET_EXIT_MS);
    const pauseMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** this.#recentExits.length);
    this.#recentExits.push(now());
    log.error(
      { ...exit, pauseMs },
      'a worker exited and is replaced after the pause; its own lines in the log, or those of the system for SIGKILL, say why',
    );
    const replacement = setTimeout(() => {
      this.#replacements.delete(replacement);
      this.#start();
    }, pauseMs);
    this.#replacements.add(replacement);
  }

  #killAll(): void {
    this.#options.log.error({ workers: this.#running.size }, 'workers could not stop in time');
    this.#exitCode = 1;
    for (const worker of this.#running) worker.process.kill('SIGKILL');
  }

  #exitIfDone(): void {
    if (this.#running.size === 0) this.#options.exit(this.#exitCode);
  }
}
