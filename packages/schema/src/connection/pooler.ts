import type postgres from 'postgres';
import { postgresFault } from './errors.ts';

/** What a pool sends when it connects and can do without: PgBouncer refuses these. */
const DISPENSABLE = ['jit', 'idle_in_transaction_session_timeout', 'statement_timeout'];

/** Of a query of postgres.js (3.4.9), what is needed to send it again; the driver exports no type. */
interface Query {
  handler: (query: Query) => void;
  readonly options: { prepare?: boolean };
  handle(): unknown;
  executed: boolean;
  reject(error: unknown): void;
  /** With which error the driver itself has sent it again. */
  retried?: unknown;
}

/** How to adapt the pool that a query belongs to, by what the pool hands its queries to. */
const adaptations = new WeakMap<Query['handler'], () => void>();
const patched = new WeakSet<object>();

/**
 * Lets a pool of connections work through PgBouncer too, which refuses settings that it does not
 * know when a connection starts, and in transaction mode runs a prepared statement on a server that
 * never heard of it. Either way the statement did not run. From then on the pool does without these
 * settings and prepares nothing, and the statement is sent again. Nothing is prepared unless its
 * statement says so.
 *
 * @see docs/adr/0013-pgbouncer.md
 * @see https://www.pgbouncer.org/features.html
 */
export function withPoolerManners(pool: postgres.Sql): postgres.Sql {
  const neverSent = pool`select 1` as unknown as Query;
  const adapt = () => {
    pool.options.prepare = false;
    for (const name of DISPENSABLE) delete pool.options.connection[name];
  };
  adaptations.set(neverSent.handler, adapt);
  patch(Object.getPrototypeOf(neverSent));

  const begin = pool.begin.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  return Object.assign(pool, {
    begin: (...args: unknown[]) =>
      begin(...args).catch((error: unknown) => {
        // A transaction is not repeated here; the next one finds the pool adapted.
        if (isRefusedByPooler(error)) adapt();
        throw error;
      }),
  });
}

function patch(queries: Query): void {
  if (patched.has(queries)) return;
  patched.add(queries);
  const { handle } = queries;
  queries.handle = function handleOnceMoreForPoolers() {
    // Else the driver prepares its own COMMIT, and repeats one whose statement is missing: in the
    // transaction that failed by it, where COMMIT rolls back and reports no error.
    this.options.prepare ??= false;
    const adapt = this.executed ? undefined : adaptations.get(this.handler);
    if (adapt !== undefined) sendAgainAfter(adapt, this);
    return handle.call(this);
  };
}

function sendAgainAfter(adapt: () => void, query: Query): void {
  const { reject } = query;
  query.reject = (error) => {
    query.reject = reject;
    if (!isRefusedByPooler(error)) return reject(error);
    adapt();
    delete query.retried;
    query.handler(query);
  };
}

/** Invalid and duplicate names of prepared statements, and a connection that never was one. */
function isRefusedByPooler(error: unknown): boolean {
  const fault = postgresFault(error);
  if (fault?.code === '08P01') return fault.message.startsWith('unsupported startup parameter');
  return fault?.code === '26000' || fault?.code === '42P05';
}
