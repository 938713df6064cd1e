import { and, eq, sql } from 'drizzle-orm';
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
  const administrators = await tx.$count(users, eq(users.isAdministrator, true));
  return { ...user, isLastAdministrator: user.isAdministrator && administrators <= 1 };
}

/** Keeps a user from being deleted until the transaction ends; does nothing if there is none. */
export async function lockUserRow(tx: Executor, userId: string): Promise<void> {
  await tx.select({ one: sql`1` }).from(users).where(eq(users.id, userId)).for('key share');
}

/** The proof of the user behind a change: their version when it was checked. */
export interface ProvenUser {
  userId: string;
  /** Read together with what was checked; the change fails if it is another one now. */
  sessionVersion: number;
}

/** Locks the row of a user whose version is still that of the proof; null if it is not. */
export async function lockProven(
  tx: Executor,
  { userId, sessionVersion }: ProvenUser,
): Promise<{ email: string; isAdministrator: boolean } | null> {
  const [user] = await tx
    .select({ email: users.email, isAdministrator: users.isAdministrator })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.sessionVersion, sessionVersion)))
    .for('no key update');
  return user ?? null;
}
