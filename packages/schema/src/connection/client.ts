import { classifyError } from './classify-error.ts';
import { createDatabase, type Database, type DatabaseOptions, hostsOf } from './database.ts';
import { NoLeaseError, postgresFault } from './errors.ts';
import { pingDatabase } from './ping.ts';
import { within } from './within.ts';

/** Postgres did not answer in time, or not at all. A write may or may not have been made. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

export interface ClientOptions extends DatabaseOptions {
  /** How long work in flight may go on over connections that were given up, in ms. */
  graceMs?: number;
  onStateChange?: (state: 'up' | 'down', error?: unknown) => void;
  /** A call waits for the next attempts to connect, for as long as it has time. */
  isPatient?: true;
  /** Between 0 and 1; spreads the attempts of many processes. */
  random?: () => number;
}

/** A fresh connection must answer as a primary within this time, in ms. */
const CONNECT_BUDGET_MS = 1_000;
const SHORTEST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 500;

/**
 * The one way to ask a Postgres that can fail: a pool on a server that has answered as a primary.
 * A timeout or a lost connection drops the whole pool, since a server that froze, or a network that
 * lost its packets, leaves sockets that look alive; until a fresh one has answered, everything is
 * refused unsent (consistency rule 22). The hosts of a list are asked one after the other. No
 * statement is sent twice.
 */
export class DatabaseClient {
  readonly #hosts: readonly string[];
  readonly #options: ClientOptions;
  /** Which host is asked next. */
  #turn = 0;
  #db: Database | null = null;
  #attempt: Promise<Database> | null = null;
  /** What the last attempt failed with, while the next one waits. */
  #refusal: { cause: unknown; isOver: Promise<void> } | null = null;
  #closed = false;

  constructor(url: string, options: ClientOptions = {}) {
    this.#hosts = hostsOf(url);
    this.#options = options;
  }

  /** Whether a server has answered and its connections have not been given up. */
  get isUp(): boolean {
    return this.#db !== null;
  }

  /** Connects before the first statement asks for it, and again whenever the server is lost. */
  connect(): void {
    this.#connect().catch(() => {});
  }

  /**
   * Runs one or more statements.
   *
   * @param budgetMs how long the caller can wait
   * @throws DatabaseUnavailableError when the server failed, was too slow or could not be reached;
   *   any other error of the work as it is
   */
  async run<T>(budgetMs: number, work: (db: Database) => Promise<T>): Promise<T> {
    if (budgetMs <= 0) throw new DatabaseUnavailableError('no time was left');
    const endsAt = performance.now() + budgetMs;
    const late = () => new DatabaseUnavailableError(`no answer within ${Math.round(budgetMs)} ms`);
    const db = this.#db ?? (await within(budgetMs, this.#connectUntil(endsAt), late));
    try {
      return await within(endsAt - performance.now(), work(db), late);
    } catch (error) {
      const isLate = error instanceof DatabaseUnavailableError;
      const kind = isLate ? 'connection' : classifyError(error);
      if (kind === 'connection') this.#drop(db, error);
      throw isLate || kind === 'statement' || kind === 'internal' ? error : unavailable(error);
    }
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
    // A server that stays silent accepts connections all the same: what is given up is asked last.
    this.#turn = (this.#turn + 1) % this.#hosts.length;
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
    this.#attempt ??= this.#askEachHost(1).finally(() => {
      this.#attempt = null;
    });
    return this.#attempt;
  }

  async #askEachHost(attempt: number): Promise<Database> {
    let lastError: unknown;
    for (let asked = 0; asked < this.#hosts.length && !this.#closed; asked += 1) {
      let db: Database | undefined;
      try {
        // Throws where the address or its certificate cannot be read, which may pass as well.
        db = createDatabase(this.#hosts[this.#turn] ?? '', this.#options);
        await within(CONNECT_BUDGET_MS, pingDatabase(db).catch(unlessNoLease), () => {
          return new DatabaseUnavailableError(`no connection within ${CONNECT_BUDGET_MS} ms`);
        });
        if (this.#closed) throw new DatabaseUnavailableError('the client is closed');
        this.#db = db;
        this.#options.onStateChange?.('up');
        return db;
      } catch (error) {
        lastError = error;
        this.#turn = (this.#turn + 1) % this.#hosts.length;
        void db?.close();
      }
    }
    this.#retryAfterPause(attempt, lastError);
    throw unavailable(lastError);
  }

  #retryAfterPause(attempt: number, cause: unknown): void {
    const longest = Math.min(LONGEST_BACKOFF_MS, SHORTEST_BACKOFF_MS * 2 ** Math.min(attempt, 8));
    const delayMs = longest * (0.5 + (this.#options.random ?? Math.random)() / 2);
    const isOver = new Promise<void>((resolve) => {
      setTimeout(() => {
        this.#refusal = null;
        if (!this.#closed) {
          this.#attempt = this.#askEachHost(attempt + 1).finally(() => {
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

/** A connection to a server that has yet to prove that it is the primary is worth having. */
function unlessNoLease(error: unknown): void {
  if (!(error instanceof NoLeaseError)) throw error;
}

const unavailable = (cause: unknown) =>
  cause instanceof DatabaseUnavailableError
    ? cause
    : new DatabaseUnavailableError(wordsOf(cause), { cause });

/** The code of the server or of the socket; a driver wraps it, sometimes in an error without words. */
function wordsOf(error: unknown): string {
  const sqlState = postgresFault(error)?.code;
  if (sqlState !== undefined) return sqlState;
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error)
    innermost = innermost.cause;
  if (!(innermost instanceof Error)) return 'unknown fault';
  return 'code' in innermost ? String(innermost.code) : innermost.name;
}
