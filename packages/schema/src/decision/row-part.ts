/** A column of a statement: its SQL, and the type of its values. */
export interface Column<T> {
  readonly sql: string;
  /** Never set: for the compiler. */
  readonly type?: T;
}

export const column = <T>(sql: string): Column<T> => ({ sql });

type Columns = Readonly<Record<string, Column<unknown>>>;

type ValuesOf<C extends Columns> = {
  -readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never;
};

/** The columns of one table, side by side with others in the rows of a statement. */
export interface RowPart<Values> {
  /** For SELECT. */
  readonly sql: string;
  /** As many nulls, for the rows without this part. */
  readonly nulls: string;
  /** The place of the first column after it. */
  readonly end: number;
  /** The values by the names of the columns; null where the first one is. */
  read(row: readonly unknown[]): Values | null;
}

/** @param first the place of its first column in a row */
export function rowPart<C extends Columns>(first: number, columns: C): RowPart<ValuesOf<C>> {
  const names = Object.keys(columns);
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return {
    sql: names.map((name) => columns[name]?.sql).join(', '),
    nulls: names.map(() => 'null').join(', '),
    end: first + names.length,
    read(row) {
      if (row[first] === null) return null;
      // A copy keeps its shape: to add the properties one by one costs twice as much.
      const values: Record<string, unknown> = { ...empty };
      for (let index = 0; index < names.length; index++) {
        values[names[index] as string] = row[first + index];
      }
      return values as ValuesOf<C>;
    },
  };
}
