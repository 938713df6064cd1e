import 'server-only';
import {
  type Authenticator,
  chargeSecondFactor,
  findAuthenticator,
  type ProvenUser,
  type SecondFactor,
  useSecondFactor,
} from '@ceiba/schema';
import { factorOf, provePassword } from '#server/accounts/index.ts';
import { refuse, refuseField, type UserContext } from '#server/action.ts';
import { settle } from '#server/settle.ts';
import { FILL_THIS_IN } from '../../../lib/action-state.ts';
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
    const proven = settle(proof, { wrong: WRONG_PASSWORD });
    return { userId, sessionVersion: proven.user.sessionVersion };
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

/** Uses up a code of the second factor, if it is on. */
export async function useCode(context: UserContext, code: string | undefined): Promise<void> {
  const { inDatabase, user } = context;
  const authenticator = await inDatabase(({ db }) => findAuthenticator(db, user.userId));
  if (!authenticator?.isConfirmed) return;
  if (code === undefined) refuseField('code', FILL_THIS_IN);
  const factor = await proveCode(context, authenticator, code);
  const isUsed = await inDatabase(({ db }) => useSecondFactor(db.orm, user.userId, factor));
  if (!isUsed) refuseWrongCode();
}

/** Counts a typed code before it is compared. */
export async function chargeCode({ inDatabase, user }: UserContext): Promise<void> {
  settle(await inDatabase((ctx) => chargeSecondFactor(ctx, user.userId)), {});
}

export const WRONG_CODE = {
  field: 'code',
  text: 'This code is wrong, or it was used before. Wait for the next one.',
};

export function refuseWrongCode(): never {
  refuseField(WRONG_CODE.field, WRONG_CODE.text);
}

export const WRONG_PASSWORD = {
  field: 'currentPassword',
  text: 'This is not your current password.',
};
