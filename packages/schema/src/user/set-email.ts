import { and, eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { onUniqueViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { passwordResets, users } from '../tables.ts';

export interface SetEmailInput {
  userId: string;
  email: string;
  /** The user's session version, read together with the password hash that was checked. */
  sessionVersion: number;
}

/** `outdated`: since that version, the password was set, the user signed out everywhere or is gone. */
export type SetEmailResult = { kind: 'updated' | 'unchanged' | 'email_taken' | 'outdated' };

/** Changes the address with which a user signs in. Sessions continue; a link to reset the password ends. */
export async function setEmail(ctx: VerbContext, input: SetEmailInput): Promise<SetEmailResult> {
  const { userId, email, sessionVersion } = checked(input, ['email']);
  const change = inTransaction<SetEmailResult>(ctx, async (tx) => {
    const isAsRead = and(eq(users.id, userId), eq(users.sessionVersion, sessionVersion));
    const [before] = await tx
      .select({ email: users.email })
      .from(users)
      .where(isAsRead)
      .for('no key update');
    if (before === undefined) return { kind: 'outdated' };
    if (before.email === email) return { kind: 'unchanged' };
    await tx.update(users).set({ email }).where(isAsRead);
    // It was sent to the old address, whose mailbox may be why it is changed.
    await tx.delete(passwordResets).where(eq(passwordResets.userId, userId));
    await writeAudit(tx, ctx, {
      action: 'user.update',
      target: { id: userId, label: email },
      ownerId: userId,
      before: { email: before.email },
      after: { email },
    });
    return { kind: 'updated' };
  });
  return change.catch(onUniqueViolation({ kind: 'email_taken' }));
}
