import {
  classifyError,
  DatabaseClient,
  DatabaseUnavailableError,
  type Fence,
  type LookupItem,
  type LookupRow,
  lookupMany,
} from '@ceiba/schema';
import { Failed, isolated } from '../isolate.ts';
import { UnavailableError } from '../unavailable.ts';
import { asUnavailable } from './pool.ts';

export interface LaneOptions {
  url: string;
  /** The longest that one batch may take, in ms. */
  budgetMs: number;
  fence: Fence;
  /** Between 0 and 1; spreads the attempts of many Runtimes. */
  random: () => number;
  onStateChange: (state: 'up' | 'down', error?: unknown) => void;
  /** Called with the error of each statement that failed. */
  onError?: (error: unknown) => void;
  /** Called whenever the lane can take another lookup. */
  onIdle: () => void;
}

/**
 * One connection that carries one lookup at a time. The first timeout or connection error drops it;
 * until a new connection has answered, the lane takes no lookups (rule replaced-connection).
 */
export class LookupLane {
  readonly #options: LaneOptions;
  readonly #client: DatabaseClient;
  #busy = false;

  constructor(options: LaneOptions) {
    const { url, fence, budgetMs, random } = options;
    this.#options = options;
    this.#client = new DatabaseClient(url, {
      maxConnections: 1,
      plansOnce: true,
      applicationName: 'ceiba-decisions',
      statementTimeoutMs: budgetMs,
      fence,
      random,
      onStateChange: (state, error) => {
        options.onStateChange(state, error);
        if (state === 'up') options.onIdle();
      },
    });
    this.#client.connect();
  }

  get isUp(): boolean {
    return this.#client.isUp;
  }

  get isIdle(): boolean {
    return this.isUp && !this.#busy;
  }

  /**
   * Looks up a batch. If the server rejects the statement, the invalid item is isolated. It has the
   * whole budget, however little time its requests have left: a timeout drops the connection, and each
   * request is answered by its own deadline.
   *
   * @returns one entry per item: its row or its error
   */
  async run(items: readonly LookupItem[]): Promise<(LookupRow | Error)[]> {
    const endsAt = performance.now() + this.#options.budgetMs;
    this.#busy = true;
    try {
      const rows = await isolated(items, (part) => this.#lookup(part, endsAt), {
        isOfOneItem: (error) => classifyError(error) === 'statement',
      });
      return rows.map((row) => {
        if (row instanceof Failed) return toUnavailable(row.error);
        return row ?? new UnavailableError('database', 'not exactly one row');
      });
    } finally {
      this.#busy = false;
      this.#options.onIdle();
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #lookup(items: readonly LookupItem[], endsAt: number) {
    if (!this.isUp) throw new UnavailableError('database', 'no connection');
    try {
      return await this.#client.run(endsAt - performance.now(), (db) => lookupMany(db, items));
    } catch (error) {
      this.#options.onError?.(error);
      throw error;
    }
  }
}

function toUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  return error instanceof DatabaseUnavailableError
    ? asUnavailable(error)
    : new UnavailableError('database', 'the lookup failed', { cause: error });
}
