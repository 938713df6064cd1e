import { BackgroundTask } from '@ceiba/process/tasks';
import { type StreamedEntry, takeAuditEntries } from '@ceiba/schema';
import type { BackgroundOptions } from '../background.ts';

/** A receiver of the whole audit log. */
export interface AuditDestination {
  /** Names the stream, in Postgres and in the log. */
  name: 'webhook' | 'otlp';
  /** The most entries of one request. */
  perRequest: number;
  /**
   * Delivers entries.
   *
   * @throws unless the receiver has accepted all of them; they are sent again
   */
  send(entries: readonly StreamedEntry[]): Promise<void>;
}

export interface AuditStreamOptions extends BackgroundOptions {
  destination: AuditDestination;
  /** Of this process; unique among all of them. */
  holder: string;
  pollMs?: number;
  /** For how long this process alone sends after each request, in seconds; more than a request takes. */
  holdSeconds?: number;
}

const POLL_MS = 2_000;
const HOLD_SECONDS = 60;
const RETRY_MS_MAX = 60_000;

/**
 * Streams the audit log to one destination, in order, each entry at least once: an entry is forgotten
 * after the receiver has accepted it. While it accepts none, all wait, with pauses up to a minute. Of several
 * processes one sends; if it ends, another takes over within a minute.
 */
export class AuditStream {
  readonly #options: AuditStreamOptions;
  readonly #task: BackgroundTask;
  #failures = 0;

  constructor(options: AuditStreamOptions) {
    this.#options = options;
    const { destination, pollMs = POLL_MS, log } = options;
    this.#task = new BackgroundTask({
      name: `streaming the audit log by ${destination.name}`,
      run: (signal) => this.#sendWaiting(signal),
      pauseMs: ({ isDone }) => {
        this.#failures = isDone ? 0 : this.#failures + 1;
        return Math.min(pollMs * 2 ** this.#failures, RETRY_MS_MAX);
      },
      log,
    });
  }

  /** Resolves when a request under way is over, and what it delivered is forgotten. */
  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #sendWaiting(signal: AbortSignal): Promise<void> {
    const { destination } = this.#options;
    let entries = await this.#take([], destination.perRequest);
    while (entries.length > 0) {
      await destination.send(entries);
      this.#failures = 0;
      entries = await this.#take(entries, signal.aborted ? 0 : destination.perRequest);
    }
  }

  /** Forgets what was delivered. @returns what is next */
  #take(delivered: readonly StreamedEntry[], most: number): Promise<StreamedEntry[]> {
    const { run, destination, holder, holdSeconds = HOLD_SECONDS } = this.#options;
    return run((db) =>
      takeAuditEntries(db, {
        stream: destination.name,
        holder,
        holdSeconds,
        delivered: delivered.map(({ outboxId }) => outboxId),
        most,
      }),
    );
  }
}
