import 'server-only';
import { createDatabase, type Database, pingDatabase } from '@ceiba/schema';
import { env } from '../env.ts';
import { printable } from './fault.ts';

/** Postgres did not answer in time, or not at all. A write may or may not have been made. */
export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError';
}

const POOL_SIZE = 10;
const BUDGET_MS = 3_000;
const READINESS_BUDGET_MS = 600;

/**
 * A pool that is opened on first use (`next build` imports routes without a database) and thrown
 * away when a call runs out of time: a frozen server keeps its sockets open, and waiting on them
 * would outlast the freeze (consistency rule 22). All of them, for each other connection leads to
 * the same server, and whoever took one next would wait as long. So nothing that waits for anything
 * but Postgres belongs into a call.
 */
class Pool {
  #database: Database | undefined;

  constructor(private readonly maxConnections: number) {}

  async run<T>(budgetMs: number, work: (db: Database) => Promise<T>): Promise<T> {
    this.#database ??= createDatabase(env().databaseUrl, {
      applicationName: 'ceiba-console',
      maxConnections: this.maxConnections,
      statementTimeoutMs: budgetMs,
    });
    const database = this.#database;
    let timer: NodeJS.Timeout | undefined;
    const outOfTime = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.#drop(database);
        reject(new DatabaseUnavailableError(`Postgres did not answer within ${budgetMs} ms`));
      }, budgetMs);
    });
    try {
      return await Promise.race([work(database), outOfTime]);
    } catch (error) {
      throw isConnectionFault(error)
        ? new DatabaseUnavailableError('Postgres cannot be reached', { cause: printable(error) })
        : printable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #drop(database: Database): void {
    if (this.#database === database) this.#database = undefined;
    database.close().catch(() => {});
  }
}

const pool = new Pool(POOL_SIZE);
const readinessPool = new Pool(1);

/** Runs one or more verbs within one time budget; throws {@link DatabaseUnavailableError}. */
export function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return pool.run(BUDGET_MS, work);
}

let readinessCheck: Promise<boolean> | undefined;

/**
 * Whether Postgres answers now, within 0.6 s. On a connection of its own, so that a busy pool does
 * not look like an outage; callers at the same time share one check.
 */
export function isDatabaseReady(): Promise<boolean> {
  readinessCheck ??= Promise.resolve()
    .then(() => readinessPool.run(READINESS_BUDGET_MS, pingDatabase))
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      readinessCheck = undefined;
    });
  return readinessCheck;
}

/** Codes of postgres.js, of Node's sockets, and of a server that is going away or full. */
const CONNECTION_FAULTS = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  '53300',
  '57014',
  '57P01',
  '57P02',
  '57P03',
]);

function isConnectionFault(error: unknown): boolean {
  for (let fault: unknown = error; fault instanceof Error; fault = fault.cause) {
    if ('code' in fault && CONNECTION_FAULTS.has(String(fault.code))) return true;
  }
  return false;
}
