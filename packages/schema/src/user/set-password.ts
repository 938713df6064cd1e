import { and, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { users } from '../tables.ts';
import { findUserById } from './find.ts';

export interface SetPasswordInput {
  userId: string;
  passwordHash: string;
  /**
   * The person's version that was read together with the password that they proved to know: of two
   * who proved it at once, only the first sets another. Absent for who needs no proof.
   */
  sessionVersion?: number;
}

/** `outdated`: since that version, the password was set or the person signed out everywhere. */
export type SetPasswordResult = { kind: 'updated' | 'outdated' | 'not_found' };

/** Sets a person's password and signs them out everywhere. */
export function setPassword(
  ctx: VerbContext,
  { userId, passwordHash, sessionVersion }: SetPasswordInput,
): Promise<SetPasswordResult> {
  return inTransaction(ctx, async (tx) => {
    const isAsRead =
      sessionVersion === undefined ? undefined : eq(users.sessionVersion, sessionVersion);
    const [row] = await tx
      .update(users)
      .set({ passwordHash, sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(and(eq(users.id, userId), isAsRead))
      .returning({ email: users.email });
    if (row === undefined) {
      return { kind: (await findUserById({ orm: tx }, userId)) ? 'outdated' : 'not_found' };
    }
    await writeAudit(tx, ctx, {
      action: 'user.set_password',
      target: { id: userId, label: row.email },
      ownerId: userId,
    });
    return { kind: 'updated' };
  });
}
