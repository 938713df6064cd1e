import type postgres from 'postgres';
import { postgresFault } from './errors.ts';

type Begin = (...args: [...options: unknown[], run: Run]) => Promise<unknown>;
type Run = (tx: postgres.TransactionSql) => unknown;

/**
 * Keeps the driver from rolling back over a connection that is lost.
 *
 * postgres.js (3.4.9) writes the ROLLBACK of a transaction that failed because its connection was
 * lost to that same connection. The write finds no socket, outside of every promise, and ends the
 * process; or it stays behind in a buffer, and the connection can never be used again. A
 * transaction that failed so is therefore left where it stands: the server has rolled back, and
 * `begin` rejects by itself when the connection closes.
 *
 * @see https://github.com/porsager/postgres/issues/1208
 */
export function withoutWritesToLostConnections(sql: postgres.Sql): postgres.Sql {
  const begin = sql.begin.bind(sql) as Begin;
  const guarded: Begin = (...args) => {
    const run = args.pop() as Run;
    return begin(...args, guard(run));
  };
  return Object.assign(sql, { begin: guarded });
}

/** The work of a transaction, or of a savepoint in one, that never ends once its connection is lost. */
function guard(run: Run): Run {
  return async (tx) => {
    const savepoint = tx.savepoint as Begin;
    const guarded: Begin = (...args) => {
      const inner = args.pop() as Run;
      return savepoint(...args, guard(inner));
    };
    try {
      return await run(Object.assign(tx, { savepoint: guarded }));
    } catch (fault) {
      return isLost(fault) ? new Promise(() => {}) : Promise.reject(fault);
    }
  };
}

/** What the driver and the socket say of a connection that is gone. */
const LOST =
  /^(CONNECTION_CLOSED|ECONN(RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH|ENETDOWN|EPROTO|ERR_(SSL|TLS)_.+)$/;

/** What Postgres told came over a connection that was well: there is something to roll back. */
function isLost(fault: unknown): boolean {
  if (postgresFault(fault) !== null) return false;
  for (let cause = fault; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause) return LOST.test(String(cause.code));
  }
  return false;
}
