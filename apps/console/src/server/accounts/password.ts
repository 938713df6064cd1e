import 'server-only';
import { verifyPassword } from '@ceiba/domain/password';
import {
  chargeAttempt,
  findAuthenticator,
  findUserByEmail,
  forgiveAttempt,
  forgivePasswordChange,
  mustUsePasskey,
  startChallenge,
  startSession,
} from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';
import { issueChallengeToken } from './challenge-cookie.ts';
import { noteRefusedSignIn } from './refused-sign-in.ts';

export type PasswordResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  /** The password is right; the browser has a token with which it sends the code. */
  | { kind: 'second_factor' }
  /** The password is right, and a required second factor is a passkey. */
  | { kind: 'passkey_required' }
  | { kind: 'wrong' }
  | { kind: 'limited'; retryAfterSeconds: number };

/**
 * Checks an e-mail address and a password, and starts a session, or asks for the second factor. The attempt is counted before
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
  if (user === null || !matches) {
    if (user !== null) noteRefusedSignIn(inDatabase, 'sign_in.refuse', user.userId);
    return { kind: 'wrong' };
  }
  return inDatabase(async (ctx) => {
    const { userId, sessionVersion } = user;
    const authenticator = await findAuthenticator(ctx.db, userId);
    if (authenticator?.isConfirmed) {
      const tokenDigest = await issueChallengeToken('second_factor');
      const purpose = 'second_factor';
      await startChallenge(ctx, { purpose, tokenDigest, user: { userId, sessionVersion } });
      return { kind: 'second_factor' };
    }
    if (await mustUsePasskey(ctx.db, userId)) {
      noteRefusedSignIn(inDatabase, 'sign_in.refuse_without_passkey', userId);
      await forgivePasswordChange(ctx, { userId, email });
      return { kind: 'passkey_required' };
    }
    const { userAgent } = ctx;
    const session = await startSession(ctx, {
      userId,
      sessionVersion,
      lifetimeSeconds,
      userAgent,
      proof: { method: 'password' },
    });
    // The password has just changed.
    if (session === null) return { kind: 'wrong' };
    await forgiveAttempt(ctx, email);
    return { kind: 'signed_in', userId, sessionId: session.sessionId };
  });
}
