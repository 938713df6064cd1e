import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { takeLock } from '../locks.ts';
import { users } from '../tables.ts';

export interface LockedUser {
  email: string;
  isAdministrator: boolean;
  sessionVersion: number;
  isLastAdministrator: boolean;
}

/**
 * Locks a user who may be an administrator. These locks exclude each other over all users, so that
 * two transactions cannot remove the last two administrators.
 *
 * @param strength `update` also waits for transactions that create a project of this user
 */
export async function lockUser(
  tx: Executor,
  userId: string,
  strength: 'update' | 'no key update',
): Promise<LockedUser | undefined> {
  await takeLock(tx, 'administrators');
  const [user] = await tx
    .select({
      email: users.email,
      isAdministrator: users.isAdministrator,
      sessionVersion: users.sessionVersion,
    })
    .from(users)
    .where(eq(users.id, userId))
    .for(strength);
  if (user === undefined) return undefined;
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(users)
    .where(eq(users.isAdministrator, true));
  return { ...user, isLastAdministrator: user.isAdministrator && (row?.count ?? 0) <= 1 };
}
