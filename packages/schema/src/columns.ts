/** Columns and conditions that tables have in common. */
import { METADATA_BYTES_MAX, SCOPES_MAX } from '@ceiba/contract/sets';
import { type LimitName, listLimits, QUOTA_MAX } from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  check,
  customType,
  integer,
  jsonb,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

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

/** A number of calls or of what they cost, up to {@link QUOTA_MAX}. */
export const quota = (name: string) => bigint(name, { mode: 'number' });

/** The limits of keys and customers; null means none. */
export const limitColumns = () => ({
  rateLimitPerMinute: integer('rate_limit_per_minute'),
  dailyQuota: quota('daily_quota'),
  monthlyQuota: quota('monthly_quota'),
});

/** The checks of {@link limitColumns}. */
export const limitChecks = (name: string, table: Record<LimitName, AnyPgColumn>) =>
  listLimits((limit, { column }) =>
    check(`${name}_${column}_check`, between(table[limit], 0, QUOTA_MAX)),
  );

/** An object of the owner, which no decision returns; empty where there is none. */
export const metadata = () =>
  jsonb('metadata').$type<Record<string, unknown>>().notNull().default({});

/** Postgres writes spaces that JSON does not need. */
export const smallObject = (column: unknown) =>
  sql`jsonb_typeof(${column}) = 'object' and octet_length(${column}::text) <= ${sql.raw(String(2 * METADATA_BYTES_MAX))}`;

/** Labels, null where there is no list. */
export const labels = () => text('scopes').array().$type<readonly string[]>();

/** The verbs check each label. */
export const fewLabels = (column: unknown) =>
  sql`cardinality(${column}) <= ${sql.raw(String(SCOPES_MAX))} and array_position(${column}, null) is null`;
