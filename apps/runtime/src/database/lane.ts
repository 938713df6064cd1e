import {
  createDatabase,
  type Database,
  type LookupItem,
  type LookupRow,
  lookupMany,
  pingDatabase,
} from '@ceiba/schema';
import { withinMs } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { kindOfFault } from './faults.ts';

export interface LaneOptions {
  url: string;
  /** The longest that one lookup may take, in ms. */
  budgetMs: number;
  /** Between 0 and 1; spreads the attempts of many Runtimes. */
  random: () => number;
  onStateChange: (state: 'up' | 'down', fault?: unknown) => void;
  /** Called whenever the lane can take another lookup. */
  onIdle: () => void;
}

/** A fresh connection must answer within this time, in ms. */
const CONNECT_BUDGET_MS = 1_000;
const SHORTEST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 500;

/**
 * One connection that carries one lookup at a time. The first timeout or connection fault drops
 * it; until a fresh one has answered, the lane takes nothing (consistency rule 22).
 */
export class LookupLane {
  readonly #options: LaneOptions;
  #db: Database | null = null;
  #busy = false;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    void this.#connect();
  }

  get isUp(): boolean {
    return this.#db !== null;
  }

  get isIdle(): boolean {
    return this.#db !== null && !this.#busy;
  }

  /**
   * Looks up a batch. A statement that the server refuses is halved until the poisoned item fails
   * alone (consistency rule 4).
   *
   * @returns one entry an item: its row, or the fault that it failed with
   */
  async run(items: readonly LookupItem[], budgetMs: number): Promise<(LookupRow | Error)[]> {
    const endsAt = performance.now() + budgetMs;
    this.#busy = true;
    try {
      return await this.#lookup(items, endsAt);
    } finally {
      this.#busy = false;
      this.#options.onIdle();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#db?.close();
    this.#db = null;
  }

  async #lookup(items: readonly LookupItem[], endsAt: number): Promise<(LookupRow | Error)[]> {
    const db = this.#db;
    const budgetMs = Math.min(this.#options.budgetMs, endsAt - performance.now());
    if (db === null) return failAll(items, new UnavailableError('database', 'no connection'));
    if (budgetMs <= 0) return failAll(items, new UnavailableError('database', 'out of time'));
    try {
      const rows = await withinMs(budgetMs, 'database', lookupMany(db, items));
      return rows.map((row) => row ?? new UnavailableError('database', 'not exactly one row'));
    } catch (fault) {
      if (kindOfFault(fault) === 'statement' && items.length > 1) {
        const middle = items.length >> 1;
        const first = await this.#lookup(items.slice(0, middle), endsAt);
        return [...first, ...(await this.#lookup(items.slice(middle), endsAt))];
      }
      if (kindOfFault(fault) === 'connection') this.#drop(db, fault);
      return failAll(items, asUnavailable(fault));
    }
  }

  #drop(db: Database, fault: unknown): void {
    if (this.#db !== db) return;
    this.#db = null;
    void db.close();
    if (this.#closed) return;
    this.#options.onStateChange('down', fault);
    void this.#connect();
  }

  async #connect(): Promise<void> {
    for (let attempt = 0; !this.#closed; attempt += 1) {
      const db = createDatabase(this.#options.url, {
        maxConnections: 1,
        applicationName: 'ceiba-decisions',
        statementTimeoutMs: this.#options.budgetMs,
      });
      try {
        await withinMs(CONNECT_BUDGET_MS, 'database', pingDatabase(db));
        if (this.#closed) return void db.close();
        this.#db = db;
        this.#options.onStateChange('up');
        return this.#options.onIdle();
      } catch {
        void db.close();
      }
      await this.#pause(attempt);
    }
  }

  #pause(attempt: number): Promise<void> {
    const longest = Math.min(LONGEST_BACKOFF_MS, SHORTEST_BACKOFF_MS * 2 ** Math.min(attempt, 8));
    const delayMs = longest * (0.5 + this.#options.random() / 2);
    return new Promise((resolve) => setTimeout(resolve, delayMs).unref());
  }
}

const failAll = (items: readonly LookupItem[], fault: Error) => items.map(() => fault);

const asUnavailable = (fault: unknown) =>
  fault instanceof UnavailableError
    ? fault
    : new UnavailableError('database', 'the lookup failed', { cause: fault });
