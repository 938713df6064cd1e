import 'server-only';
import {
  chargeAttempt,
  findUserByEmail,
  forgiveAttempt,
  type VerbContext,
  verifyPassword,
} from '@ceiba/schema';

export type PasswordResult =
  | { kind: 'signed_in'; userId: string }
  | { kind: 'wrong' }
  | { kind: 'limited'; retryAfterSeconds: number };

/**
 * Checks an address and a password. The attempt is counted before anything is hashed, and an
 * unknown address costs the same work as a known one, so neither answer nor time tells them apart.
 */
export async function signInWithPassword(
  ctx: VerbContext,
  { email, password }: { email: string; password: string },
): Promise<PasswordResult> {
  const attempt = await chargeAttempt(ctx, email);
  if (attempt.kind === 'limited') return attempt;
  const user = await findUserByEmail(ctx.db, email);
  const matches = await verifyPassword(user?.passwordHash ?? null, password);
  if (user === null || !matches) return { kind: 'wrong' };
  await forgiveAttempt(ctx, email);
  return { kind: 'signed_in', userId: user.userId };
}
