import { inTransaction, type VerbContext } from '../context.ts';
import { checkSetup } from '../installation/setup-token.ts';
import { takeLock } from '../locks.ts';
import { identities } from '../tables.ts';
import { createUser } from './create.ts';

/** Who may sign up: anyone, only the first administrator, or no one. */
export type SignUpPolicy = 'open' | 'first-user' | 'closed';

export interface SignUpInput {
  email: string;
  /** From `hashPassword`; null for a user who signs in through a provider only. */
  passwordHash: string | null;
  /** The provider's identity of this user. */
  identity?: { provider: string; subject: string };
  policy: SignUpPolicy;
  /** Of the setup token, which the first administrator has to present; null without one. */
  setupTokenDigest: Buffer | null;
}

export type SignUpResult =
  | { kind: 'created'; userId: string; isAdministrator: boolean }
  /** `setup_token`: there is no administrator yet, and this is not the token that creates one. */
  | { kind: 'email_taken' | 'closed' | 'setup_token' };

/**
 * Creates a user if the policy permits it: the only way in for someone who does not have the database.
 * The lock under which the first administrator is created is held from the check of the token on, so
 * of two concurrent sign-ups with the token one uses it up.
 */
export async function signUp(ctx: VerbContext, input: SignUpInput): Promise<SignUpResult> {
  if (input.policy === 'closed') return { kind: 'closed' };
  return inTransaction(ctx, async (tx) => {
    await takeLock(tx, 'firstUser');
    const setup = await checkSetup({ orm: tx }, input.setupTokenDigest);
    if (setup === 'refused') return { kind: 'setup_token' };
    if (setup === 'done' && input.policy === 'first-user') return { kind: 'closed' };
    const created = await createUser({ ...ctx, db: { orm: tx } }, input);
    if (created.kind === 'created' && input.identity !== undefined) {
      await tx.insert(identities).values({ ...input.identity, userId: created.userId });
    }
    return created;
  });
}
