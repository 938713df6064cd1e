import { inTransaction, type VerbContext } from '../context.ts';
import { identities } from '../tables.ts';
import { createUser } from '../user/create.ts';

/** Who may create an account: anyone, only the first person, or nobody. */
export type SignUpPolicy = 'open' | 'first-user' | 'closed';

export interface SignUpInput {
  email: string;
  /** From `hashPassword`; null for a person who comes by a provider. */
  passwordHash: string | null;
  /** Who the provider says this is. */
  identity?: { provider: string; subject: string };
  policy: SignUpPolicy;
}

export type SignUpResult =
  | { kind: 'created'; userId: string; isAdministrator: boolean }
  | { kind: 'email_taken' | 'closed' };

/** Undoes the transaction in which somebody turned out not to be the first. */
class NotTheFirst extends Error {}

/**
 * Creates an account if sign-up lets this person in. Whether one is the first is decided by the
 * transaction that creates the account, so of two who race on an empty installation one is let in.
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
  } catch (fault) {
    if (fault instanceof NotTheFirst) return { kind: 'closed' };
    throw fault;
  }
}
