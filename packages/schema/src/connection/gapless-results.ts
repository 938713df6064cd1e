import type postgres from 'postgres';

type Then = (
  this: unknown,
  onFulfilled?: ((result: unknown) => unknown) | null,
  onRejected?: ((fault: unknown) => unknown) | null,
) => Promise<unknown>;

const mended = new WeakSet<object>();

/**
 * Keeps a query that failed from spoiling the next one.
 *
 * postgres.js (3.4.9) counts on where a query stopped that failed after some of its rows had
 * arrived: the next query on that connection gets its own rows behind as many gaps, and whoever
 * reads the first row finds none. The gaps are taken out where a result is handed over.
 *
 * @see https://github.com/porsager/postgres/issues/1181
 */
export function withGaplessResults(sql: postgres.Sql): postgres.Sql {
  // Every query is of one class, which the driver does not export; this one is never sent.
  const queries: { then: Then } = Object.getPrototypeOf(sql`select 1`);
  if (mended.has(queries)) return sql;
  mended.add(queries);
  const { then } = queries;
  // biome-ignore lint/suspicious/noThenProperty: the driver's queries have one already
  queries.then = function thenWithoutGaps(onFulfilled, onRejected) {
    return then.call(
      this,
      onFulfilled && ((result) => onFulfilled(withoutGaps(result))),
      onRejected,
    );
  };
  return sql;
}

/** Gaps come first and only there; what else the result carries stays. */
function withoutGaps(result: unknown): unknown {
  if (Array.isArray(result) && result.length > 0 && !(0 in result)) {
    result.splice(0, result.length - Object.keys(result).length);
  }
  return result;
}
