import 'server-only';
import { hashPassword } from '@ceiba/domain/password';
import { chargeAttempt, type SignUpPolicy, type SignUpResult, signUp } from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';

/**
 * Creates an account with a password. The attempt is counted before anything is hashed, and the
 * hash is made between two turns in the database.
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
