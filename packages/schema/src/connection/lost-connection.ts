import type postgres from 'postgres';
import { isConnectionLost } from './classify-error.ts';

export type Begin = (...args: [...options: unknown[], run: Run]) => Promise<unknown>;
export type Run = (tx: postgres.TransactionSql) => unknown;

/**
 * Keeps the driver from rolling back over a lost connection.
 *
 * When a transaction fails because its connection is lost, postgres.js (3.4.9) writes the ROLLBACK
 * to that same connection. The write either throws outside of every promise, which ends the process,
 * or stays in a buffer, which makes the connection unusable for ever. So such a transaction never
 * settles: the server has rolled it back, and `begin` rejects when the connection closes.
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

/** Makes a transaction or savepoint that never settles once its connection is lost. */
function guard(run: Run): Run {
  return async (tx) => {
    const savepoint = tx.savepoint as Begin;
    const guarded: Begin = (...args) => {
      const inner = args.pop() as Run;
      return savepoint(...args, guard(inner));
    };
    try {
      return await run(Object.assign(tx, { savepoint: guarded }));
    } catch (error) {
      return isConnectionLost(error) ? new Promise(() => {}) : Promise.reject(error);
    }
  };
}
