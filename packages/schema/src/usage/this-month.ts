import { sql } from 'drizzle-orm';

/** Now by the database's clock, or the instant that a test gives. */
export const clock = (now: Date | undefined) =>
  now === undefined ? sql`now()` : sql`${now.toISOString()}::timestamptz`;

/** The number of the month that is under way: year × 12 + month, January being 0, in UTC. */
export const monthNumber = (now = sql`now()`) => sql`(
  extract(year from ${now} at time zone 'UTC') * 12
  + extract(month from ${now} at time zone 'UTC') - 1)::int`;
