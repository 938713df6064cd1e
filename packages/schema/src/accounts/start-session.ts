import { and, eq, lt, sql } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { sessions, users } from '../tables.ts';

/**
 * Begins a session under the person's present version, and clears away those that are over.
 *
 * @returns null when there is no such person
 */
export function startSession(
  ctx: VerbContext,
  { userId, lifetimeSeconds }: { userId: string; lifetimeSeconds: number },
): Promise<{ sessionId: string } | null> {
  return inTransaction(ctx, async (tx) => {
    await tx
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), lt(sessions.expiresAt, sql`now()`)));
    const [user] = await tx
      .select({ sessionVersion: users.sessionVersion })
      .from(users)
      .where(eq(users.id, userId));
    if (user === undefined) return null;
    const [session] = await tx
      .insert(sessions)
      .values({
        userId,
        sessionVersion: user.sessionVersion,
        expiresAt: sql`now() + make_interval(secs => ${lifetimeSeconds})`,
      })
      .returning({ sessionId: sessions.id });
    return session ?? null;
  });
}
