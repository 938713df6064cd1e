import { writeAudit } from '../audit.ts';
import { inTransaction, takeTurns, type VerbContext } from '../context.ts';
import { users } from '../tables.ts';

export type CreateUserResult =
  | { kind: 'created'; userId: string; isAdministrator: boolean }
  | { kind: 'email_taken' };

/** Sign-ups take turns here, so that exactly one is the first. */
const FIRST_USER_LOCK = 0x0ce1bb;

/**
 * Creates a person. The first of all is the administrator, also when two sign up at once.
 *
 * @param input.passwordHash from `hashPassword`; null for a person who uses a provider only
 */
export function createUser(
  ctx: VerbContext,
  input: { email: string; passwordHash: string | null },
): Promise<CreateUserResult> {
  return inTransaction(ctx, async (tx) => {
    await takeTurns(tx, FIRST_USER_LOCK);
    const [anyone] = await tx.select({ userId: users.id }).from(users).limit(1);
    const isAdministrator = anyone === undefined;
    const [row] = await tx
      .insert(users)
      .values({ email: input.email, passwordHash: input.passwordHash, isAdministrator })
      .onConflictDoNothing()
      .returning({ userId: users.id });
    if (row === undefined) return { kind: 'email_taken' };
    await writeAudit(tx, ctx, {
      action: 'user.create',
      target: { id: row.userId, label: input.email },
      ownerId: row.userId,
      after: { email: input.email, isAdministrator },
    });
    return { kind: 'created', userId: row.userId, isAdministrator };
  });
}
