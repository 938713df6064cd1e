import type postgres from 'postgres';
import { postgresError } from './errors.ts';
import { OPTIONAL_SETTINGS } from './session.ts';

/** What resending a query of postgres.js (3.4.9) needs; the driver exports no type for it. */
interface Query {
  handler: (query: Query) => void;
  readonly options: { prepare?: boolean };
  handle(): unknown;
  executed: boolean;
  reject(error: unknown): void;
  /** The error after which the driver itself sent it again. */
  retried?: unknown;
}

/** How to adapt the pool of a query, keyed by the handler that the pool gives its queries. */
const adaptations = new WeakMap<Query['handler'], () => void>();
const patched = new WeakSet<object>();

/**
 * Makes a pool work through PgBouncer, which refuses startup parameters that it does not know, and
 * in transaction mode may run a prepared statement on a server that has not prepared it. In both
 * cases the statement did not run: the pool drops these parameters, stops preparing, and sends the
 * statement again. Only statements that ask for it are prepared.
 *
 * @see docs/adr/0013-pgbouncer.md
 * @see https://www.pgbouncer.org/features.html
 */
export function withPoolerSupport(pool: postgres.Sql): postgres.Sql {
  const neverSent = pool`select 1` as unknown as Query;
  const adapt = () => {
    pool.options.prepare = false;
    for (const name of OPTIONAL_SETTINGS) delete pool.options.connection[name];
  };
  adaptations.set(neverSent.handler, adapt);
  patch(Object.getPrototypeOf(neverSent));

  const begin = pool.begin.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  return Object.assign(pool, {
    begin: (...args: unknown[]) =>
      begin(...args).catch((error: unknown) => {
        // Not retried here: the next transaction uses the adapted pool.
        if (isRefusedByPooler(error)) adapt();
        throw error;
      }),
  });
}

function patch(queries: Query): void {
  if (patched.has(queries)) return;
  patched.add(queries);
  const { handle } = queries;
  queries.handle = function handleWithResend() {
    // Otherwise the driver prepares its own COMMIT and retries it when the prepared statement is
    // missing: in a failed transaction, COMMIT rolls back and reports no error.
    this.options.prepare ??= false;
    const adapt = this.executed ? undefined : adaptations.get(this.handler);
    if (adapt !== undefined) resendAfter(adapt, this);
    return handle.call(this);
  };
}

function resendAfter(adapt: () => void, query: Query): void {
  const { reject } = query;
  query.reject = (error) => {
    query.reject = reject;
    if (!isRefusedByPooler(error)) return reject(error);
    adapt();
    delete query.retried;
    query.handler(query);
  };
}

/** An unknown or duplicate prepared statement, or a refused startup parameter. */
function isRefusedByPooler(error: unknown): boolean {
  const answer = postgresError(error);
  if (answer?.code === '08P01') return answer.message.startsWith('unsupported startup parameter');
  return answer?.code === '26000' || answer?.code === '42P05';
}
