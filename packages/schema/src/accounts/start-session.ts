import { and, eq, lt, sql } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { sessions, users } from '../tables.ts';

export interface StartSessionInput {
  userId: string;
  /**
   * The person's version that was read together with what proved who they are. A session that is
   * proved with a password ends with it, also when the password changes while the session is made.
   */
  sessionVersion: number;
  lifetimeSeconds: number;
}

/**
 * Begins a session, and clears away those that are over.
 *
 * @returns null when the person was deleted, changed the password or signed out everywhere since
 * their version was read
 */
export function startSession(
  ctx: VerbContext,
  { userId, sessionVersion, lifetimeSeconds }: StartSessionInput,
): Promise<{ sessionId: string } | null> {
  return inTransaction(ctx, async (tx) => {
    await tx
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), lt(sessions.expiresAt, sql`now()`)));
    // The session keeps the version that was read: a change that commits beside this ends it too.
    const [session] = await tx.execute<{ sessionId: string }>(sql`
      insert into sessions (user_id, session_version, expires_at)
      select id, session_version, now() + make_interval(secs => ${lifetimeSeconds}) from users
      where ${users.id} = ${userId} and ${users.sessionVersion} = ${sessionVersion}
      returning id as "sessionId"`);
    return session ?? null;
  });
}
