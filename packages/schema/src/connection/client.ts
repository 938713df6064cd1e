import { drizzle } from 'drizzle-orm/postgres-js';
import { classifyError } from './classify-error.ts';
import { type Database, type DatabaseOptions, serversOf } from './database.ts';
import { DatabaseUnavailableError, NoLeaseError, outageCode } from './errors.ts';
import { readAddress } from './files.ts';
import { openProven } from './open.ts';
import { pingDatabase } from './ping.ts';
import { within } from './within.ts';

export interface ClientOptions extends DatabaseOptions {
  /** How long work in flight may continue over dropped connections, in ms. */
  graceMs?: number;
  onStateChange?: (state: 'up' | 'down', error?: unknown) => void;
  /** A call waits for further attempts to connect, within its budget. */
  isPatient?: true;
  /**
   * A late call fails alone: the pool is dropped only if the statements of that call are not over
   * after `statementTimeoutMs`, by which a server that works has answered or cancelled each of them.
   */
  isLateAlone?: true;
  /**
   * Checks that the server still is the primary before a call, at most once per this time, in ms:
   * for statements that carry no evidence of their server. Default: only when connecting.
   */
  verifyPrimaryAfterMs?: number;
  /** Between 0 and 1; spreads the reconnects of many processes. */
  random?: () => number;
}

/** A new pool must answer as a primary within this time. */
const CONNECT_BUDGET_MS = 1_000;
/** How long after its timeout the server may take to report that it cancelled a statement. */
const CANCELLED_WITHIN_MS = 500;
const BACKOFF_MS_MIN = 50;
const BACKOFF_MS_MAX = 500;

/**
 * A resilient client: a pool on a server that has answered as the primary. A timeout or a lost
 * connection drops the whole pool, because a frozen server or a silent network leaves sockets that
 * look alive; until a new pool has answered, calls fail without being sent (rule
 * replaced-connection). With a list of hosts, each is tried in order. No statement is sent twice.
 */
export class DatabaseClient {
  readonly #url: string;
  readonly #hostCount: number;
  readonly #options: ClientOptions;
  /** The host to try next. */
  #nextHost = 0;
  #db: Database | null = null;
  #attempt: Promise<Database> | null = null;
  /** The error of the last attempt, until the next one starts. */
  #refusal: { cause: unknown; isOver: Promise<void> } | null = null;
  /** Why the last attempt failed; undefined after a success. */
  #lastError: unknown;
  #closed = false;
  /** When the pool last answered as a primary. */
  #verifiedAt = 0;

  constructor(url: string, options: ClientOptions = {}) {
    this.#url = url;
    this.#hostCount = readAddress(url).hosts.length;
    this.#options = options;
  }

  /** Whether there is a pool that has answered. */
  get isUp(): boolean {
    return this.#db !== null;
  }

  /** Connects ahead of the first statement. Afterwards the client reconnects by itself. */
  connect(): void {
    this.#connect().catch(() => {});
  }

  /**
   * Runs one or more statements.
   *
   * @param budgetMs how long the caller can wait
   * @throws DatabaseUnavailableError when the server failed, was too slow or could not be reached;
   *   any other error of the work unchanged
   */
  async run<T>(budgetMs: number, work: (db: Database) => Promise<T>): Promise<T> {
    if (budgetMs <= 0) throw new DatabaseUnavailableError('no time was left');
    const endsAt = performance.now() + budgetMs;
    const late = () => new DatabaseUnavailableError(`no answer within ${Math.round(budgetMs)} ms`);
    // A patient call reports why no host could be reached, not only that its time is over.
    const unreachable = () =>
      this.#lastError === undefined ? late() : unavailable(this.#lastError);
    const db = this.#db ?? (await within(budgetMs, this.#connectUntil(endsAt), unreachable));
    const call = this.#options.isLateAlone ? revocable(db) : { db, revoke: () => {} };
    const answer = this.#isStale() ? this.#verify(db).then(() => work(call.db)) : work(call.db);
    try {
      return await within(endsAt - performance.now(), answer, late);
    } catch (error) {
      const isLate = error instanceof DatabaseUnavailableError;
      const kind = isLate ? 'connection' : classifyError(error);
      if (isLate) call.revoke();
      if (isLate && this.#options.isLateAlone) this.#dropUnlessOver(db, answer, error);
      else if (kind === 'connection') this.#drop(db, error);
      throw isLate || kind === 'statement' || kind === 'internal' ? error : unavailable(error);
    }
  }

  #dropUnlessOver(db: Database, answer: Promise<unknown>, error: unknown): void {
    const { statementTimeoutMs = 0 } = this.#options;
    const isOver = answer.then(
      () => {},
      () => {},
    );
    const silent = () => new DatabaseUnavailableError('a statement was not answered');
    within(statementTimeoutMs + CANCELLED_WITHIN_MS, isOver, silent).catch(() =>
      this.#drop(db, error),
    );
  }

  /** @throws NotPrimaryError when the server was demoted and its connections still work */
  async #verify(db: Database): Promise<void> {
    await pingDatabase(db);
    this.#verifiedAt = performance.now();
  }

  #isStale(): boolean {
    const { verifyPrimaryAfterMs = Number.POSITIVE_INFINITY } = this.#options;
    return performance.now() - this.#verifiedAt >= verifyPrimaryAfterMs;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const db = this.#db;
    this.#db = null;
    await db?.close(this.#options.graceMs);
  }

  #drop(db: Database, error: unknown): void {
    if (this.#db !== db) return;
    this.#db = null;
    // A frozen server still accepts connections: try the dropped host last.
    this.#nextHost = (this.#nextHost + 1) % this.#hostCount;
    void db.close(this.#options.graceMs);
    this.#options.onStateChange?.('down', error);
    this.connect();
  }

  async #connectUntil(endsAt: number): Promise<Database> {
    for (;;) {
      try {
        return await this.#connect();
      } catch (error) {
        const refusal = this.#refusal;
        if (!this.#options.isPatient || refusal === null || performance.now() >= endsAt)
          throw error;
        await refusal.isOver;
      }
    }
  }

  /** @throws DatabaseUnavailableError at once while the next attempt waits */
  #connect(): Promise<Database> {
    if (this.#closed) return Promise.reject(new DatabaseUnavailableError('the client is closed'));
    if (this.#db !== null) return Promise.resolve(this.#db);
    if (this.#refusal !== null) return Promise.reject(unavailable(this.#refusal.cause));
    this.#attempt ??= this.#tryEachHost(1).finally(() => {
      this.#attempt = null;
    });
    return this.#attempt;
  }

  async #tryEachHost(attempt: number): Promise<Database> {
    let lastError: unknown;
    for (let tried = 0; tried < this.#hostCount && !this.#closed; tried += 1) {
      let db: Database | undefined;
      try {
        // May throw: a certificate cannot be read, which can be temporary.
        const server = serversOf(this.#url)[this.#nextHost];
        if (server === undefined) throw new Error('the list of hosts has become shorter');
        const opened = await openProven(server, this.#options, proveInTime);
        db = opened.db;
        if (opened.error !== null) throw opened.error;
        if (this.#closed) throw new DatabaseUnavailableError('the client is closed');
        this.#db = db;
        this.#lastError = undefined;
        this.#verifiedAt = performance.now();
        this.#options.onStateChange?.('up');
        return db;
      } catch (error) {
        lastError = error;
        this.#nextHost = (this.#nextHost + 1) % this.#hostCount;
        void db?.close();
      }
    }
    this.#lastError = lastError;
    this.#retryAfterPause(attempt, lastError);
    throw unavailable(lastError);
  }

  #retryAfterPause(attempt: number, cause: unknown): void {
    const longest = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(attempt, 8));
    const delayMs = longest * (0.5 + (this.#options.random ?? Math.random)() / 2);
    const isOver = new Promise<void>((resolve) => {
      setTimeout(() => {
        this.#refusal = null;
        if (!this.#closed) {
          this.#attempt = this.#tryEachHost(attempt + 1).finally(() => {
            this.#attempt = null;
          });
          this.#attempt.catch(() => {});
        }
        resolve();
      }, delayMs).unref();
    });
    this.#refusal = { cause, isOver };
  }
}

/** A pool for one call, which can be kept from sending more; an open transaction ends by itself. */
function revocable(pool: Database): { db: Database; revoke: () => void } {
  const { proxy: sql, revoke } = Proxy.revocable(pool.sql, {});
  return { db: { ...pool, sql, orm: drizzle(sql) }, revoke };
}

const proveInTime = (db: Database): Promise<void> =>
  within(CONNECT_BUDGET_MS, pingDatabase(db).catch(unlessNoLease), () => {
    return new DatabaseUnavailableError(`no connection within ${CONNECT_BUDGET_MS} ms`);
  });

/** Keeps a connection to a server that has yet to prove that it is the primary. */
function unlessNoLease(error: unknown): void {
  if (!(error instanceof NoLeaseError)) throw error;
}

const unavailable = (cause: unknown) =>
  cause instanceof DatabaseUnavailableError
    ? cause
    : new DatabaseUnavailableError(outageCode(cause), { cause });
