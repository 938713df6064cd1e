import 'server-only';
import {
  type Authenticator,
  chargeSecondFactor,
  type ProvenUser,
  type SecondFactor,
} from '@ceiba/schema';
import { factorOf, type PasswordProof, provePassword } from '#server/accounts/index.ts';
import { refuse, refuseField, type UserContext } from '#server/action.ts';
import { tooManyAttempts } from '../../../lib/action-state.ts';
import { NOT_FRESH } from './not-fresh.ts';

/**
 * Proves, before a change of how they sign in, that the signed-in user is at the keyboard: by the
 * password or, without one, by a sign-in a moment ago. Refuses the form otherwise.
 */
export async function proveSelf(
  { inDatabase, user }: UserContext,
  currentPassword: string | undefined,
): Promise<ProvenUser> {
  const { userId, sessionVersion } = user;
  if (user.hasPassword) {
    const proof = await provePassword(inDatabase, user, currentPassword ?? '');
    if (proof.kind !== 'proven') return refuseUnproven(proof);
    return { userId, sessionVersion: proof.user.sessionVersion };
  }
  if (!user.isFresh) refuse('forbidden', NOT_FRESH);
  return { userId, sessionVersion };
}

/** Counts a typed code, then compares it. The caller uses the factor up. */
export async function proveCode(
  context: UserContext,
  authenticator: Authenticator,
  code: string,
): Promise<SecondFactor> {
  await chargeCode(context);
  const factor = factorOf({ userId: context.user.userId, authenticator }, code);
  return factor ?? refuseWrongCode();
}

/** Counts a typed code before it is compared. */
export async function chargeCode({ inDatabase, user }: UserContext): Promise<void> {
  const attempt = await inDatabase((ctx) => chargeSecondFactor(ctx, user.userId));
  if (attempt.kind === 'limited')
    refuse('rate_limited', tooManyAttempts(attempt.retryAfterSeconds));
}

export function refuseWrongCode(): never {
  refuseField('code', 'This code is wrong, or it was used before. Wait for the next one.');
}

export function refuseUnproven(proof: Exclude<PasswordProof, { kind: 'proven' }>): never {
  if (proof.kind === 'limited') {
    refuse('rate_limited', tooManyAttempts(proof.retryAfterSeconds));
  }
  refuseField('currentPassword', 'This is not your current password.');
}

/** The answer where the proof is outdated. */
export function refuseOutdated(): never {
  refuse('signed_out', SIGNED_OUT_MEANWHILE);
}

const SIGNED_OUT_MEANWHILE =
  'Your password was changed in another window, or you were signed out there. Nothing was changed here.';
