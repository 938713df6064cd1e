import 'server-only';
import { hashPassword } from '@ceiba/domain/password';
import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import {
  chargeAttempt,
  checkSetup,
  hasAdministrator,
  type SignUpPolicy,
  type SignUpResult,
  signUp,
} from '@ceiba/schema';
import { env } from '../../env.ts';
import { withDatabase } from '../database.ts';
import type { InDatabase } from '../in-database.ts';
import { confirmsAddresses } from './confirm-address.ts';
import { setupTokenDigestOf } from './setup-token.ts';

/** Whether sign-up is open now. */
export async function isSignUpOpen(): Promise<boolean> {
  switch (env().signUp) {
    case 'open':
      return true;
    case 'closed':
      return false;
    case 'first-user':
      return needsSetup();
  }
}

/** Whether there is no administrator yet: creating one takes the setup token, or the command line. */
export const needsSetup = async (): Promise<boolean> => !(await withDatabase(hasAdministrator));

/** Whether an account needs a mailed link. The first one does not: there is no account to learn of. */
export const signsUpByMail = async (): Promise<boolean> =>
  confirmsAddresses() && !(await needsSetup());

export type SignUpWithPasswordResult =
  | SignUpResult
  | { kind: 'limited'; retryAfterSeconds: number }
  /** Why, to complete "the password …". */
  | { kind: 'weak_password'; reason: string };

/**
 * Creates an account with a password. The attempt is counted, and a setup token that is needed is
 * checked, before the password is judged or hashed, which takes time. Both happen between two
 * transactions, so that they hold no connection.
 */
export async function signUpWithPassword(
  inDatabase: InDatabase,
  {
    email,
    password,
    setupToken,
  }: { email: string; password: string; setupToken?: string | undefined },
  policy: SignUpPolicy,
): Promise<SignUpWithPasswordResult> {
  const setupTokenDigest = setupTokenDigestOf(setupToken);
  const begun = await inDatabase(async (ctx) => {
    const attempt = await chargeAttempt(ctx, email);
    if (attempt.kind === 'limited') return attempt;
    const setup = await checkSetup(ctx.db, setupTokenDigest);
    return setup === 'refused' ? ({ kind: 'setup_token' } as const) : attempt;
  });
  if (begun.kind !== 'admitted') return begun;
  const reason = await whyPasswordRefused(password, email);
  if (reason !== null) return { kind: 'weak_password', reason };
  const passwordHash = await hashPassword(password);
  return inDatabase((ctx) => signUp(ctx, { email, passwordHash, policy, setupTokenDigest }));
}
