import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { sessions, users } from '../tables.ts';

/** Ends every session of a person, this one too: none is valid from the next request on. */
export function signOutEverywhere(
  ctx: VerbContext,
  userId: string,
): Promise<{ kind: 'signed_out'; sessions: number } | { kind: 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const [user] = await tx
      .update(users)
      .set({ sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, userId))
      .returning({ email: users.email });
    if (user === undefined) return { kind: 'not_found' };
    const ended = await tx
      .delete(sessions)
      .where(eq(sessions.userId, userId))
      .returning({ sessionId: sessions.id });
    await writeAudit(tx, ctx, {
      action: 'user.sign_out_everywhere',
      target: { id: userId, label: user.email },
      ownerId: userId,
      after: { endedSessions: ended.length },
    });
    return { kind: 'signed_out', sessions: ended.length };
  });
}
