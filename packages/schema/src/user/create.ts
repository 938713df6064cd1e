import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { endSetupToken, hasAdministrator } from '../installation/setup-token.ts';
import { takeLock } from '../locks.ts';
import { users } from '../tables.ts';
import { auditAccount } from './change.ts';

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
  const { email, passwordHash } = checked(given, ['email']);
  return inTransaction(ctx, async (tx) => {
    await takeLock(tx, 'firstUser');
    const isAdministrator = !(await hasAdministrator({ orm: tx }));
    const [row] = await tx
      .insert(users)
      .values({ email, passwordHash, isAdministrator })
      .onConflictDoNothing()
      .returning({ userId: users.id });
    if (row === undefined) return { kind: 'email_taken' };
    if (isAdministrator) await endSetupToken(tx);
    const after = { email, isAdministrator };
    await auditAccount(tx, ctx, 'user.create', { ...row, email }, { after });
    return { kind: 'created', ...row, isAdministrator };
  });
}
