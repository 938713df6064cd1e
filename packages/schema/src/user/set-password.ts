import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { users } from '../tables.ts';

export type SetPasswordResult = { kind: 'updated' | 'not_found' };

/** Sets a person's password and signs them out everywhere. */
export function setPassword(
  ctx: VerbContext,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<SetPasswordResult> {
  return inTransaction(ctx, async (tx) => {
    const [row] = await tx
      .update(users)
      .set({ passwordHash, sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, userId))
      .returning({ email: users.email });
    if (row === undefined) return { kind: 'not_found' };
    await writeAudit(tx, ctx, {
      action: 'user.set_password',
      target: { id: userId, label: row.email },
      ownerId: userId,
    });
    return { kind: 'updated' };
  });
}
