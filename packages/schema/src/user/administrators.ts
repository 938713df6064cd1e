import { eq, sql } from 'drizzle-orm';
import { takeTurns } from '../context.ts';
import type { Executor } from '../database.ts';
import { users } from '../tables.ts';

const ADMINISTRATORS_LOCK = 0x0ce1bf;

/** Whoever takes an administrator away takes a turn, so that two cannot take the last two. */
export const takeTurnWithAdministrators = (tx: Executor) => takeTurns(tx, ADMINISTRATORS_LOCK);

/** Whether there is but one. Asked in one's turn. */
export async function isLastAdministrator(tx: Executor): Promise<boolean> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(users)
    .where(eq(users.isAdministrator, true));
  return (row?.count ?? 0) <= 1;
}
