import { sql } from 'drizzle-orm';
import type { Executor } from './connection/database.ts';

/** The advisory locks of the database. A number keeps its meaning: old and new versions share it. */
export const LOCKS = {
  /** Held while migrations run. */
  migration: 0x0ce1ba,
  /** Serialises the creation of users, so that exactly one is the first. */
  firstUser: 0x0ce1bb,
  /** Serialises `allOrNothing`, so that two runs over the same rows cannot deadlock. */
  allOrNothing: 0x0ce1bc,
  /** Shared by the writers of usage; held exclusively to open a day for its totals. */
  usageWriters: 0x0ce1bd,
  /** Held by the one Runtime that does the upkeep. */
  upkeep: 0x0ce1be,
  /** Serialises what administrators change, and their role: one always remains, and none acts after it. */
  administrators: 0x0ce1bf,
  /** Serialises the creation of partitions of the decision log. */
  decisionPartitions: 0x0ce1c0,
  /** Serialises the claims of alerts, so that the places of an owner are counted exactly. */
  alertClaims: 0x0ce1c1,
  /** With a user: serialises the start of their sessions, which are limited in number. */
  sessions: 0x0ce1c3,
} as const;

/** Waits for an advisory lock and holds it until the transaction ends. */
export async function takeLock(tx: Executor, lock: keyof typeof LOCKS): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS[lock]})`);
}

/** Waits for the advisory lock of one user, which is none of those without a user. */
export async function takeLockOf(
  tx: Executor,
  lock: keyof typeof LOCKS,
  userId: string,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS[lock]}, hashtext(${userId}))`);
}

/** @returns whether the lock was free; it is then held until the transaction ends */
export async function tryLock(tx: Executor, lock: keyof typeof LOCKS): Promise<boolean> {
  const [row] = await tx.execute<{ isOurs: boolean }>(
    sql`select pg_try_advisory_xact_lock(${LOCKS[lock]}) as "isOurs"`,
  );
  return row?.isOurs === true;
}
