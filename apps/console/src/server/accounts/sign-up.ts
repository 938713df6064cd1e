import 'server-only';
import { hashPassword } from '@ceiba/domain/password';
import {
  chargeAttempt,
  hasUsers,
  type SignUpPolicy,
  type SignUpResult,
  signUp,
} from '@ceiba/schema';
import { env } from '../../env.ts';
import { withDatabase } from '../database.ts';
import type { InDatabase } from '../in-database.ts';
import { confirmsAddresses } from './confirm-address.ts';

/** Whether sign-up is open now. */
export async function isSignUpOpen(): Promise<boolean> {
  switch (env().signUp) {
    case 'open':
      return true;
    case 'closed':
      return false;
    case 'first-user':
      return !(await withDatabase(hasUsers));
  }
}

/** Whether an account needs a mailed link. The first one does not: there is no account to learn of. */
export const signsUpByMail = async (): Promise<boolean> =>
  confirmsAddresses() && (await withDatabase(hasUsers));

/**
 * Creates an account with a password. The attempt is counted before anything is hashed, and the hash
 * is made between two transactions, so that hashing holds no connection.
 */
export async function signUpWithPassword(
  inDatabase: InDatabase,
  { email, password }: { email: string; password: string },
  policy: SignUpPolicy,
): Promise<SignUpResult | { kind: 'limited'; retryAfterSeconds: number }> {
  const attempt = await inDatabase((ctx) => chargeAttempt(ctx, email));
  if (attempt.kind === 'limited') return attempt;
  const passwordHash = await hashPassword(password);
  return inDatabase((ctx) => signUp(ctx, { email, passwordHash, policy }));
}
