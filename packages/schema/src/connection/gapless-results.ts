import type postgres from 'postgres';

type Then = (
  this: unknown,
  onFulfilled?: ((result: unknown) => unknown) | null,
  onRejected?: ((error: unknown) => unknown) | null,
) => Promise<unknown>;

const patched = new WeakSet<object>();

/**
 * Keeps a failed query from corrupting the result of the next one.
 *
 * When a query fails after some of its rows arrived, postgres.js (3.4.9) does not reset its row
 * count: the next result on that connection starts with as many empty slots, so its first row reads
 * as undefined. The slots are removed when a result is returned.
 *
 * @see https://github.com/porsager/postgres/issues/1181
 */
export function withGaplessResults(sql: postgres.Sql): postgres.Sql {
  // All queries share a class, which the driver does not export; this one is never sent.
  const queries: { then: Then } = Object.getPrototypeOf(sql`select 1`);
  if (patched.has(queries)) return sql;
  patched.add(queries);
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

/** Removes the leading gaps in place, since a result also has other properties. */
function withoutGaps(result: unknown): unknown {
  if (Array.isArray(result) && result.length > 0 && !(0 in result)) {
    result.splice(0, result.length - Object.keys(result).length);
  }
  return result;
}
