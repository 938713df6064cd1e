import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { sessions, users } from '../tables.ts';
import { auditAccount } from './change.ts';

/** A session as its user sees it; null where an older release started it. */
export interface UserSession {
  sessionId: string;
  createdAt: Date;
  /** To within five minutes. */
  lastSeenAt: Date | null;
  clientAddress: string | null;
  userAgent: string | null;
}

/** A user's sessions, the one used last first. */
export async function listSessions(db: { orm: Executor }, userId: string): Promise<UserSession[]> {
  return db.orm
    .select({
      sessionId: sessions.id,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      clientAddress: sessions.clientAddress,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.userId, userId),
        eq(sessions.sessionVersion, users.sessionVersion),
        gt(sessions.expiresAt, sql`now()`),
      ),
    )
    .orderBy(desc(sql`coalesce(${sessions.lastSeenAt}, ${sessions.createdAt})`), desc(sessions.id));
}

/** Ends one session of a user: its cookie is invalid from the next request on. */
export function endSessionOf(
  ctx: VerbContext,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<{ kind: 'ended' | 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const [ended] = await tx
      .delete(sessions)
      .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
      .returning({ userAgent: sessions.userAgent, clientAddress: sessions.clientAddress });
    if (ended === undefined) return { kind: 'not_found' };
    await auditAccount(tx, ctx, 'user.end_session', { userId }, { before: ended });
    return { kind: 'ended' };
  });
}
