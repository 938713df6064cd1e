import { eq } from 'drizzle-orm';
import { onUniqueViolation } from '../connection/errors.ts';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { passwordResets, users } from '../tables.ts';
import { auditAccount, changingAccount } from './change.ts';

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
  const user = { userId, sessionVersion };
  const change = changingAccount<SetEmailResult>(ctx, user, async (tx, _, current) => {
    if (current === email) return { kind: 'unchanged' };
    await tx.update(users).set({ email }).where(eq(users.id, userId));
    // It was sent to the old address, whose mailbox may be why it is changed.
    await tx.delete(passwordResets).where(eq(passwordResets.userId, userId));
    const states = { before: { email: current }, after: { email } };
    await auditAccount(tx, ctx, 'user.update', { userId, email }, states);
    return { kind: 'updated' };
  });
  return change.catch(onUniqueViolation({ kind: 'email_taken' }));
}
