import 'server-only';
import { verifyPassword } from '@ceiba/domain/password';
import { chargeAttempt, findUserByEmail, forgiveAttempt, startSession } from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';

export type PasswordResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  | { kind: 'wrong' }
  | { kind: 'limited'; retryAfterSeconds: number };

/**
 * Checks an e-mail address and a password, and starts a session. The attempt is counted before
 * anything is hashed. An unknown address costs the same work, so that neither the answer nor its
 * time reveals whether an account exists.
 */
export async function signInWithPassword(
  inDatabase: InDatabase,
  { email, password }: { email: string; password: string },
  lifetimeSeconds: number,
): Promise<PasswordResult> {
  const begun = await inDatabase(async (ctx) => {
    const attempt = await chargeAttempt(ctx, email);
    if (attempt.kind === 'limited') return attempt;
    return { ...attempt, user: await findUserByEmail(ctx.db, email) };
  });
  if (begun.kind === 'limited') return begun;
  const { user } = begun;
  const matches = await verifyPassword(user?.passwordHash ?? null, password);
  if (user === null || !matches) return { kind: 'wrong' };
  return inDatabase(async (ctx) => {
    const { userId, sessionVersion } = user;
    const { userAgent } = ctx;
    const session = await startSession(ctx, {
      userId,
      sessionVersion,
      lifetimeSeconds,
      userAgent,
    });
    // The password has just changed.
    if (session === null) return { kind: 'wrong' };
    await forgiveAttempt(ctx, email);
    return { kind: 'signed_in', userId, sessionId: session.sessionId };
  });
}
