import 'server-only';
import { RECOVERY_CODES_FEW } from '@ceiba/domain';
import {
  type Authenticator,
  chargeSecondFactor,
  completeSecondFactor,
  countRecoveryCodes,
  findAuthenticator,
  findChallenge,
  findUserById,
  forgiveAttempt,
  type SecondFactor,
} from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';
import { log } from '../log.ts';
import { notify } from './account-mail.ts';
import { openAuthenticator } from './authenticator.ts';
import { noteRefusedSignIn } from './refused-sign-in.ts';
import { recoveryCodeDigest } from './totp.ts';

/** The factor that a typed code is: a recovery code, or one that fits the app's secret; else null. */
export function factorOf(
  { userId, authenticator }: { userId: string; authenticator: Authenticator },
  code: string,
): SecondFactor | null {
  const digest = recoveryCodeDigest(code);
  if (digest !== null) return { kind: 'recovery_code', digest };
  const stepOf = openAuthenticator(userId, authenticator.sealedSecret);
  if (stepOf === null) {
    const hint =
      'NEXTAUTH_SECRET has changed: set the old one, or remove the second factor of this user';
    log.error({ userId, hint }, 'second_factor.unreadable');
    return null;
  }
  const step = stepOf(code);
  return step === null ? null : { kind: 'step', step };
}

export type SecondFactorResult =
  | { kind: 'signed_in'; userId: string; sessionId: string }
  | { kind: 'wrong' }
  /** The password has to be typed again. */
  | { kind: 'expired' }
  | { kind: 'limited'; retryAfterSeconds: number };

/** Checks the code after a right password, and starts the session. The attempt is counted first. */
export async function signInWithSecondFactor(
  inDatabase: InDatabase,
  { tokenDigest, code }: { tokenDigest: Buffer | null; code: string },
  lifetimeSeconds: number,
): Promise<SecondFactorResult> {
  if (tokenDigest === null) return { kind: 'expired' };
  const begun = await inDatabase(async (ctx) => {
    const found = await findChallenge(ctx.db, { purpose: 'second_factor', tokenDigest });
    if (found?.userId == null) return { kind: 'expired' } as const;
    const { userId } = found;
    const attempt = await chargeSecondFactor(ctx, userId);
    if (attempt.kind === 'limited') return attempt;
    const authenticator = await findAuthenticator(ctx.db, userId);
    return { kind: 'admitted', userId, authenticator } as const;
  });
  if (begun.kind !== 'admitted') return begun;
  const { userId, authenticator } = begun;
  // Removed since the password was typed: the password alone now suffices.
  if (authenticator === null) return { kind: 'expired' };
  const factor = factorOf({ userId, authenticator }, code);
  const refuse = () => noteRefusedSignIn(inDatabase, 'sign_in.refuse_second_factor', userId);
  if (factor === null) {
    refuse();
    return { kind: 'wrong' };
  }
  return inDatabase(async (ctx) => {
    const { userAgent } = ctx;
    const input = { tokenDigest, factor, lifetimeSeconds, userAgent };
    const result = await completeSecondFactor(ctx, input);
    if (result.kind === 'wrong') refuse();
    const user = result.kind === 'signed_in' ? await findUserById(ctx.db, userId) : null;
    if (user !== null) await forgiveAttempt(ctx, user.email);
    if (user !== null && factor.kind === 'recovery_code') {
      const isFew = (await countRecoveryCodes(ctx.db, userId)) < RECOVERY_CODES_FEW;
      notify(user.email, isFew ? 'recovery_codes_few' : 'recovery_code_used');
    }
    return result;
  });
}
