import { sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { takeLock } from '../locks.ts';

const PARTITION = /^decisions_\d{8}$/;

/** A statement that waits longer for its lock fails, so that it does not hold up the writers behind it. */
const LOCK_TIMEOUT_MS = 500;

/**
 * Creates the partitions of the decision log that are missing for these days. Writers go on: a table
 * that is attached locks less than one that is created as a partition.
 *
 * @param days in UTC, as `2026-11-22`
 * @throws RangeError for a day after tomorrow, by the database's clock: a Runtime whose clock is years
 *   ahead must not make partitions that retention keeps until then
 */
export async function createPartitions(tx: Executor, days: readonly string[]): Promise<void> {
  await takeLock(tx, 'decisionPartitions');
  await limitLockTime(tx);
  const tomorrow = await dayIn(tx, 1);
  const tooLate = days.find((day) => day > tomorrow);
  if (tooLate !== undefined) {
    throw new RangeError(
      `${tooLate} lies ahead: the clock of this machine or of Postgres is wrong`,
    );
  }
  const existing = await readPartitions(tx);
  for (const day of days) {
    const name = nameOf(day);
    if (!PARTITION.test(name)) throw new RangeError(`"${day}" is not a day`);
    if (existing.names.includes(name)) continue;
    const partition = sql`${sql.identifier(existing.schema)}.${sql.identifier(name)}`;
    await tx.execute(
      sql`create table ${partition} (like decisions including defaults including constraints)`,
    );
    await tx.execute(sql`
      alter table decisions attach partition ${partition}
      for values from (${sql.raw(`'${day} 00:00:00+00'`)})
      to (${sql.raw(`'${dayAfter(day)} 00:00:00+00'`)})`);
  }
}

/**
 * Drops the partitions of the decision log before a day, and those of the future, which a clock that
 * was ahead has made.
 *
 * @param firstDayKept in UTC, as `2026-11-22`
 * @returns how many
 */
export async function dropPartitions(tx: Executor, firstDayKept: string): Promise<number> {
  await limitLockTime(tx);
  const { schema, names } = await readPartitions(tx);
  const first = nameOf(firstDayKept);
  // A day more than is created: midnight may pass between the two.
  const last = nameOf(await dayIn(tx, 2));
  const outside = names.filter((name) => PARTITION.test(name) && (name < first || name > last));
  for (const name of outside) {
    await tx.execute(sql`drop table ${sql.identifier(schema)}.${sql.identifier(name)}`);
  }
  return outside.length;
}

/** The schema of the decision log, which its partitions share, and their names. */
async function readPartitions(tx: Executor): Promise<{ schema: string; names: string[] }> {
  const [row] = await tx.execute<{ schema: string; names: string[] }>(sql`
    select n.nspname as schema, (
      select coalesce(json_agg(child.relname), '[]')
      from pg_inherits join pg_class child on child.oid = inhrelid
      where inhparent = log.oid) as names
    from pg_class log join pg_namespace n on n.oid = log.relnamespace
    where log.oid = 'decisions'::regclass`);
  if (row === undefined) throw new Error('Postgres did not return the decision log');
  return row;
}

const nameOf = (day: string) => `decisions_${day.replaceAll('-', '')}`;

/** A day by the database's clock, in UTC, as `2026-11-22`. */
export async function dayIn(tx: Executor, days: number): Promise<string> {
  const [row] = await tx.execute<{ day: string }>(
    sql`select ((now() at time zone 'UTC')::date + ${days}::int)::text as day`,
  );
  if (row === undefined) throw new Error('Postgres did not return the time');
  return row.day;
}

const limitLockTime = (tx: Executor) =>
  tx.execute(sql.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`));

const dayAfter = (day: string) => dayOf(new Date(Date.parse(day) + 86_400_000));

/** The day in UTC, as `2026-11-22`. */
export const dayOf = (at: Date) => at.toISOString().slice(0, 10);
