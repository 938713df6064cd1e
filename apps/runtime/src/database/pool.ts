import { createDatabase, type Database, NotPrimaryError, postgresFault } from '@ceiba/schema';
import { withinMs } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { kindOfFault } from './faults.ts';

export interface PoolOptions {
  url: string;
  maxConnections: number;
  applicationName: string;
  /** The longest that one statement may take on the server, in ms. */
  statementTimeoutMs: number;
}

/** Time for work in flight on a pool that has been given up, in ms. */
const GRACE_MS = 1_000;

/**
 * A pool that is replaced when an answer stays away or a connection is lost: a server that froze, or
 * a network that lost its packets, leaves sockets that look alive, and the driver uses a connection
 * that broke in the middle of a statement again, with the fault of its former life (consistency
 * rule 22). Slow statements of a healthy server are stopped by the server first, and cost nobody
 * else a connection.
 */
export class DatabasePool {
  readonly #options: PoolOptions;
  #current: Database;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#current = this.#open();
  }

  /**
   * Runs verbs against the pool.
   *
   * @param budgetMs how long the caller can wait
   * @throws UnavailableError when the server failed, was too slow or could not be reached; any
   *   other fault of the verb as it is
   */
  async run<T>(budgetMs: number, work: (db: Database) => Promise<T>): Promise<T> {
    if (budgetMs <= 0) throw new UnavailableError('database', 'no time was left');
    const db = this.#current;
    const attempt = work(db).catch((fault: unknown) => {
      throw toUnavailable(fault);
    });
    try {
      return await withinMs(budgetMs, 'database', attempt);
    } catch (fault) {
      if (isLoss(fault)) this.#replace(db);
      throw fault;
    }
  }

  async close(): Promise<void> {
    await this.#current.close(GRACE_MS);
  }

  #open(): Database {
    const { url, ...options } = this.#options;
    return createDatabase(url, options);
  }

  #replace(given: Database): void {
    if (this.#current !== given) return;
    this.#current = this.#open();
    void given.close(GRACE_MS);
  }
}

/** No answer in time, or none to be had over this connection. */
const isLoss = (fault: unknown) =>
  fault instanceof UnavailableError &&
  (fault.cause === undefined || kindOfFault(fault.cause) === 'connection');

/** Faults of the server or the way to it become unavailable; those of a verb stay what they are. */
function toUnavailable(fault: unknown): unknown {
  const isServerFault = kindOfFault(fault) !== 'statement' && isDriverFault(fault);
  return isServerFault ? new UnavailableError('database', wordsOf(fault), { cause: fault }) : fault;
}

/** Codes of the driver, of sockets, of name look-ups and of TLS: not ours, and not Node's own. */
const DRIVER_CODE = /^(CONNECT_|CONNECTION_|E(?!RR_)[A-Z]|ERR_(TLS|SSL)_|[0-9A-Z]{5}$)/;

/** A bug of ours must not pass for an outage. */
function isDriverFault(fault: unknown): boolean {
  if (fault instanceof NotPrimaryError) return true;
  for (let cause = fault; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && DRIVER_CODE.test(String(cause.code))) return true;
  }
  return false;
}

/** The code of the server or of the socket; a driver wraps it, sometimes in an error without words. */
function wordsOf(fault: unknown): string {
  const code = postgresFault(fault)?.code;
  if (code !== undefined) return code;
  let innermost = fault;
  while (innermost instanceof Error && innermost.cause instanceof Error)
    innermost = innermost.cause;
  if (!(innermost instanceof Error)) return 'unknown fault';
  return 'code' in innermost ? String(innermost.code) : innermost.name;
}
