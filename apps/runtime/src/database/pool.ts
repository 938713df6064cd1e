import { type Database, DatabaseClient, DatabaseUnavailableError, type Fence } from '@ceiba/schema';
import { UnavailableError } from '../unavailable.ts';

export interface PoolOptions {
  url: string;
  maxConnections: number;
  applicationName: string;
  /** The longest that one statement may take on the server, in ms. */
  statementTimeoutMs: number;
  /** For statements that serve decisions. */
  fence?: Fence;
  /** A late call fails alone, and the pool is replaced only if its statement is never answered. */
  isLateAlone?: true;
  /** Called with each error of the server, or of the work. */
  onError?: (error: unknown) => void;
}

/** Time for work in flight on a pool that is being replaced, in ms. */
const GRACE_MS = 1_000;

/**
 * A database client that throws the Runtime's errors. The server's own statement timeout ends a slow
 * statement first, so that it costs no connection.
 */
export class DatabasePool {
  readonly #client: DatabaseClient;
  readonly #onError: ((error: unknown) => void) | undefined;

  constructor({ url, onError, ...options }: PoolOptions) {
    this.#onError = onError;
    this.#client = new DatabaseClient(url, { ...options, graceMs: GRACE_MS });
  }

  /**
   * Runs verbs against the pool.
   *
   * @param budgetMs how long the caller can wait
   * @throws UnavailableError when the server failed, was too slow or could not be reached; any
   *   other error of the verb unchanged
   */
  async run<T>(budgetMs: number, work: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await this.#client.run(budgetMs, work);
    } catch (error) {
      this.#onError?.(error);
      throw error instanceof DatabaseUnavailableError ? asUnavailable(error) : error;
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Keeps the server's error for the log. */
export const asUnavailable = ({ message, cause }: Error) =>
  new UnavailableError('database', message, cause === undefined ? undefined : { cause });
