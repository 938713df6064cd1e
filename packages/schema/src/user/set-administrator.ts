import { eq } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { passwordResets, users } from '../tables.ts';
import { auditAccount } from './change.ts';
import { lockUser } from './lock.ts';

export type SetAdministratorResult = {
  kind: 'updated' | 'unchanged' | 'last_administrator' | 'not_found';
};

/**
 * Makes a user an administrator, or removes that role, from their next request on. With the role end
 * the links to reset a password that they created.
 */
export function setAdministrator(
  ctx: VerbContext,
  { userId, isAdministrator }: { userId: string; isAdministrator: boolean },
): Promise<SetAdministratorResult> {
  return inTransaction(ctx, async (tx) => {
    const user = await lockUser(tx, userId, 'no key update');
    if (user === undefined) return { kind: 'not_found' };
    if (user.isAdministrator === isAdministrator) return { kind: 'unchanged' };
    if (user.isLastAdministrator) return { kind: 'last_administrator' };
    await tx.update(users).set({ isAdministrator }).where(eq(users.id, userId));
    if (!isAdministrator)
      await tx.delete(passwordResets).where(eq(passwordResets.createdBy, userId));
    const before = { isAdministrator: user.isAdministrator };
    const states = { before, after: { isAdministrator } };
    await auditAccount(tx, ctx, 'user.update', { userId, email: user.email }, states);
    return { kind: 'updated' };
  });
}
