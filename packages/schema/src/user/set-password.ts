import { and, eq, sql } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { passwordResets, users } from '../tables.ts';
import { auditAccount } from './change.ts';
import { findUserById } from './find.ts';

export interface SetPasswordInput {
  userId: string;
  passwordHash: string;
  /**
   * The user's session version, read together with the password hash that was checked: of two
   * concurrent changes, only the first succeeds. Omit when no proof is required.
   */
  sessionVersion?: number;
}

/** `outdated`: since that version, the password was set or the user signed out everywhere. */
export type SetPasswordResult = { kind: 'updated' | 'outdated' | 'not_found' };

/** Sets a user's password, and ends all their sessions and an open link to reset it. */
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
    await tx.delete(passwordResets).where(eq(passwordResets.userId, userId));
    await auditAccount(tx, ctx, 'user.set_password', { userId, ...row });
    return { kind: 'updated' };
  });
}
