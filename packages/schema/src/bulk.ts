/**
 * Rows as the parameters of one statement: an array for each column, sent as text that the statement
 * casts, so that the driver needs no type lookups.
 */
import { getTableColumns, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

type Value = string | number | Date | Buffer | object | null;

/** By the name of a column: its type in Postgres, and its value in a row. */
type Columns<Row> = Readonly<Record<string, readonly [type: string, of: (row: Row) => Value]>>;

export interface Bulk<Row> {
  readonly names: readonly string[];
  /**
   * For FROM: the rows, as `row`, with their `position` from 1.
   *
   * @param after the parameters that the statement has before
   */
  rows(after?: number): string;
  /** The same with its parameters, for a statement of drizzle. */
  of(rows: readonly Row[]): SQL;
  parameters(rows: readonly Row[]): string[];
}

/**
 * @example
 * const USES = bulk<LastUse>({ id: ['uuid', (use) => use.apiKeyId], at: ['timestamptz', (use) => use.at] });
 * sql.unsafe(`select id, max(at) from ${USES.rows()} group by id`, USES.parameters(uses));
 */
export function bulk<Row>(columns: Columns<Row>): Bulk<Row> {
  const names = Object.keys(columns);
  const list = Object.values(columns);
  return {
    names,
    rows: (after = 0) => {
      const arrays = list.map(([type], index) => `($${after + index + 1}::text)::${type}[]`);
      return `unnest(${arrays.join(', ')}) with ordinality as row(${names.join(', ')}, position)`;
    },
    of(rows) {
      const arrays = list.map(
        ([type, of]) => sql`(${arrayOf(rows.map(of))}::text)::${sql.raw(type)}[]`,
      );
      const row = sql.raw(`row(${names.join(', ')}, position)`);
      return sql`unnest(${sql.join(arrays, sql`, `)}) with ordinality as ${row}`;
    },
    parameters: (rows) => list.map(([, of]) => arrayOf(rows.map(of))),
  };
}

/** All columns of a table, from rows as an insert has them: what a row leaves out is null. */
export const columnsOf = <Table extends PgTable>(table: Table): Columns<InferInsertModel<Table>> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([property, column]) => [
      column.name,
      [
        column.getSQLType().replace(/ collate .*/, ''),
        (row: InferInsertModel<Table>) => (row[property as keyof typeof row] ?? null) as Value,
      ],
    ]),
  );

/** The literal of a Postgres array. */
export const arrayOf = (values: readonly Value[]): string => `{${values.map(element).join(',')}}`;

function element(value: Value): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Most texts are ids: to test them costs a third of a replacement that replaces nothing.
  return NEEDS_ESCAPE.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

const NEEDS_ESCAPE = /["\\]/;

/**
 * A statement that writes totals, which only grow: writing one again, or an older one after a newer
 * one, changes nothing (rules confirmed-flush and month-totals). Rows of projects that do not exist are dropped.
 * The rows are locked in the order of their keys, so that two writers cannot deadlock.
 *
 * @param totals the columns of the table's primary key, then the total
 * @param options `repeats`: a key may occur in several rows, whose totals are added; `sets`: what to
 *   set before the total, such as `at = now(), `
 */
export function upsertTotals(
  table: string,
  totals: Bulk<never>,
  { repeats = false, sets = '' } = {},
): string {
  const key = totals.names.slice(0, -1);
  const total = totals.names.at(-1);
  const places = key.map((_, index) => index + 1).join(', ');
  return `
    insert into ${table} (${totals.names.join(', ')})
    select ${key.map((name) => `row.${name}`).join(', ')},
      ${repeats ? `sum(row.${total})` : `row.${total}`}
    from ${totals.rows()} join projects on projects.id = row.project_id
    ${repeats ? `group by ${places}` : ''} order by ${places}
    on conflict (${key.join(', ')})
    do update set ${sets}${total} = greatest(${table}.${total}, excluded.${total})
    where ${table}.${total} < excluded.${total}`;
}
