import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from './connection/database.ts';

/** Milliseconds since 1970, as a number: the driver returns a timestamp in raw SQL as text. */
export const toMs = (at: SQL) => sql`date_part('epoch', ${at}) * 1000`;

/** An instant as a parameter. */
export const instant = (at: Date) => sql`${at.toISOString()}::timestamptz`;

/** What the database's clock says. */
export async function readNow(db: { orm: Executor }): Promise<Date> {
  const [row] = await db.orm.execute<{ nowMs: number }>(sql`select ${toMs(sql`now()`)} as "nowMs"`);
  if (row === undefined) throw new Error('the clock returned no row');
  return new Date(row.nowMs);
}

/** The database's clock, or the instant that a test passes. */
export const clock = (now: Date | undefined) => (now === undefined ? sql`now()` : instant(now));

/** The number of a month in UTC, the current one by default: year × 12 + month, January being 0. */
export const monthNumber = (at = sql`now()`) => sql`(
  extract(year from ${at} at time zone 'UTC') * 12
  + extract(month from ${at} at time zone 'UTC') - 1)::int`;
