import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { users } from '../tables.ts';
import { isLastAdministrator, takeTurnWithAdministrators } from './administrators.ts';

export type SetAdministratorResult = {
  kind: 'updated' | 'unchanged' | 'last_administrator' | 'not_found';
};

/** Makes a person an administrator, or no longer one, from their next request on. */
export function setAdministrator(
  ctx: VerbContext,
  { userId, isAdministrator }: { userId: string; isAdministrator: boolean },
): Promise<SetAdministratorResult> {
  return inTransaction(ctx, async (tx) => {
    await takeTurnWithAdministrators(tx);
    const [user] = await tx
      .select({ email: users.email, isAdministrator: users.isAdministrator })
      .from(users)
      .where(eq(users.id, userId))
      .for('no key update');
    if (user === undefined) return { kind: 'not_found' };
    if (user.isAdministrator === isAdministrator) return { kind: 'unchanged' };
    if (!isAdministrator && (await isLastAdministrator(tx))) return { kind: 'last_administrator' };
    await tx.update(users).set({ isAdministrator }).where(eq(users.id, userId));
    await writeAudit(tx, ctx, {
      action: 'user.update',
      target: { id: userId, label: user.email },
      ownerId: userId,
      before: { isAdministrator: user.isAdministrator },
      after: { isAdministrator },
    });
    return { kind: 'updated' };
  });
}
