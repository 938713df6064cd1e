/** Columns and conditions that tables have in common. */
import { type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, customType, primaryKey, timestamp, uuid } from 'drizzle-orm/pg-core';

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/** Compared byte by byte, so that an index finds the texts that begin with a prefix. */
export const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
export const createdAt = () => instant('created_at').notNull().defaultNow();
export const id = () => uuid('id').primaryKey().defaultRandom();

/** The row that this one belongs to, and with which it is deleted. */
export const belongsTo = (name: string, owner: () => AnyPgColumn) =>
  uuid(name).notNull().references(owner, { onDelete: 'cascade' });

/** The primary key of several columns. */
export const namedKey = <Columns extends [AnyPgColumn, ...AnyPgColumn[]]>(
  name: string,
  columns: Columns,
) => primaryKey({ name, columns });

export const oneOf = (column: SQL.Aliased | unknown, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;
export const finite = (column: unknown) => sql`isfinite(${column})`;
export const digest = (column: unknown) => sql`octet_length(${column}) = 32`;
export const notNegative = (column: unknown) => sql`${column} >= 0`;
export const lengthAtMost = (column: unknown, most: number) =>
  sql`char_length(${column}) <= ${sql.raw(String(most))}`;
export const between = (column: unknown, least: number, most: number) =>
  sql`${column} between ${sql.raw(`${least} and ${most}`)}`;
