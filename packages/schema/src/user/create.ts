import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { endSetupToken, hasAdministrator } from '../installation/setup-token.ts';
import { takeLock } from '../locks.ts';
import { users } from '../tables.ts';

export type CreateUserResult =
  | { kind: 'created'; userId: string; isAdministrator: boolean }
  | { kind: 'email_taken' };

/**
 * Creates a user for someone who has the database. Where there is no administrator yet, the user
 * becomes one and the setup token ends; of two created at once, only one is. Others call `signUp`.
 *
 * @param given.passwordHash from `hashPassword`; null for a user who signs in through a provider only
 */
export async function createUser(
  ctx: VerbContext,
  given: { email: string; passwordHash: string | null },
): Promise<CreateUserResult> {
  const input = checked(given, ['email']);
  return inTransaction(ctx, async (tx) => {
    await takeLock(tx, 'firstUser');
    const isAdministrator = !(await hasAdministrator({ orm: tx }));
    const [row] = await tx
      .insert(users)
      .values({ email: input.email, passwordHash: input.passwordHash, isAdministrator })
      .onConflictDoNothing()
      .returning({ userId: users.id });
    if (row === undefined) return { kind: 'email_taken' };
    if (isAdministrator) await endSetupToken(tx);
    await writeAudit(tx, ctx, {
      action: 'user.create',
      target: { id: row.userId, label: input.email },
      ownerId: row.userId,
      after: { email: input.email, isAdministrator },
    });
    return { kind: 'created', userId: row.userId, isAdministrator };
  });
}
