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
}

/** Time for work in flight on a pool that has been given up, in ms. */
const GRACE_MS = 1_000;

/**
 * A database client whose errors are the Runtime's. Slow statements of a healthy server are stopped
 * by the server first, and cost no other caller a connection.
 */
export class DatabasePool {
  readonly #client: DatabaseClient;

  constructor({ url, ...options }: PoolOptions) {
    this.#client = new DatabaseClient(url, { ...options, graceMs: GRACE_MS });
  }

  /**
   * Runs verbs against the pool.
   *
   * @param budgetMs how long the caller can wait
   * @throws UnavailableError when the server failed, was too slow or could not be reached; any
   *   other error of the verb as it is
   */
  async run<T>(budgetMs: number, work: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await this.#client.run(budgetMs, work);
    } catch (error) {
      throw error instanceof DatabaseUnavailableError ? asUnavailable(error) : error;
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Keeps what the client was told of the server, for the log. */
export const asUnavailable = ({ message, cause }: Error) =>
  new UnavailableError('database', message, cause === undefined ? undefined : { cause });
