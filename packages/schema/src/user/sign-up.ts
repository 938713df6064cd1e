import { inTransaction, type VerbContext } from '../context.ts';
import { identities } from '../tables.ts';
import { createUser } from './create.ts';

/** Who may sign up: anyone, only the first user, or no one. */
export type SignUpPolicy = 'open' | 'first-user' | 'closed';

export interface SignUpInput {
  email: string;
  /** From `hashPassword`; null for a user who signs in through a provider only. */
  passwordHash: string | null;
  /** The provider's identity of this user. */
  identity?: { provider: string; subject: string };
  policy: SignUpPolicy;
}

export type SignUpResult =
  | { kind: 'created'; userId: string; isAdministrator: boolean }
  | { kind: 'email_taken' | 'closed' };

/** Rolls back the transaction of a user who turned out not to be the first. */
class NotTheFirst extends Error {}

/**
 * Creates a user if the policy permits it. The transaction that creates the user decides whether it
 * is the first, so of two concurrent sign-ups on an empty installation one succeeds.
 */
export async function signUp(ctx: VerbContext, input: SignUpInput): Promise<SignUpResult> {
  if (input.policy === 'closed') return { kind: 'closed' };
  try {
    return await inTransaction(ctx, async (tx) => {
      const created = await createUser({ ...ctx, db: { orm: tx } }, input);
      if (created.kind !== 'created') return created;
      if (input.policy === 'first-user' && !created.isAdministrator) throw new NotTheFirst();
      if (input.identity !== undefined) {
        await tx.insert(identities).values({ ...input.identity, userId: created.userId });
      }
      return created;
    });
  } catch (error) {
    if (error instanceof NotTheFirst) return { kind: 'closed' };
    throw error;
  }
}
