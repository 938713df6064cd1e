import { and, eq, gt, sql } from 'drizzle-orm';
import type { Executor } from '../database.ts';
import { sessions, users } from '../tables.ts';

export interface SignedInUser {
  userId: string;
  email: string;
  isAdministrator: boolean;
  /** False for a person who signs in through a provider only. */
  hasPassword: boolean;
  sessionId: string;
}

/**
 * Whom a session belongs to: asked on every request, so that signing out, here or everywhere,
 * holds from the next request on.
 *
 * @returns null when the session ended, expired, or is of an older version than the person
 */
export async function findSession(
  db: { orm: Executor },
  sessionId: string,
): Promise<SignedInUser | null> {
  const [row] = await db.orm
    .select({
      userId: users.id,
      email: users.email,
      isAdministrator: users.isAdministrator,
      hasPassword: sql<boolean>`${users.passwordHash} is not null`,
      sessionId: sessions.id,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(sessions.sessionVersion, users.sessionVersion),
        gt(sessions.expiresAt, sql`now()`),
      ),
    );
  return row ?? null;
}
