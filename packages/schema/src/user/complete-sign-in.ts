import { inTransaction, type VerbContext } from '../context.ts';
import { usePasskey } from './passkey.ts';
import { type SecondFactor, useSecondFactor } from './second-factor.ts';
import { type StartSessionInput, startSession } from './session.ts';
import { forgiveSecondFactor } from './sign-in-attempts.ts';
import { lockChallenge, takeChallenge } from './sign-in-challenge.ts';

export type CompleteSignInResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  /** The code or the passkey was used up, or is not this user's. */
  | { kind: 'wrong' }
  /** The password has to be typed again: it took too long, or it was changed meanwhile. */
  | { kind: 'expired' };

type SessionOptions = Pick<StartSessionInput, 'lifetimeSeconds' | 'userAgent'>;

const METHODS = { step: 'password_and_code', recovery_code: 'password_and_recovery_code' } as const;

/**
 * Starts the session that a right password and now a right code permit: uses up the code and the
 * challenge, so that neither starts a second session. After a wrong code the user may try another.
 */
export function completeSecondFactor(
  ctx: VerbContext,
  {
    tokenDigest,
    factor,
    ...options
  }: { tokenDigest: Buffer; factor: SecondFactor } & SessionOptions,
): Promise<CompleteSignInResult> {
  return inTransaction<CompleteSignInResult>(ctx, async (tx) => {
    const ref = { purpose: 'second_factor', tokenDigest } as const;
    const challenge = await lockChallenge(tx, ref);
    if (challenge?.userId == null || challenge.sessionVersion === null) return { kind: 'expired' };
    const { userId, sessionVersion } = challenge;
    if (!(await useSecondFactor(tx, userId, factor))) return { kind: 'wrong' };
    await takeChallenge({ orm: tx }, ref);
    await forgiveSecondFactor(tx, userId);
    const inside = { ...ctx, db: { orm: tx } };
    const proof = { method: METHODS[factor.kind] };
    const session = await startSession(inside, { userId, sessionVersion, proof, ...options });
    return session === null ? { kind: 'expired' } : { kind: 'signed_in', userId, ...session };
  });
}

/** Starts the session that a passkey's signature permits; it stands for both factors. */
export function completePasskeySignIn(
  ctx: VerbContext,
  {
    credentialId,
    counter,
    ...session
  }: { credentialId: string; counter: number } & Omit<StartSessionInput, 'proof'>,
): Promise<CompleteSignInResult> {
  return inTransaction<CompleteSignInResult>(ctx, async (tx) => {
    if (!(await usePasskey(tx, { credentialId, counter }))) return { kind: 'wrong' };
    const proof = { method: 'passkey' } as const;
    const started = await startSession({ ...ctx, db: { orm: tx } }, { ...session, proof });
    if (started === null) return { kind: 'expired' };
    return { kind: 'signed_in', userId: session.userId, ...started };
  });
}
