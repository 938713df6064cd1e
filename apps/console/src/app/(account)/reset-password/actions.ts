'use server';

import { digestOf, isWellFormedPasswordReset } from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import {
  chargePasswordChange,
  findPasswordReset,
  type PasswordReset,
  usePasswordReset,
} from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { notify } from '#server/accounts/index.ts';
import { publicAction, refuse, refuseField } from '#server/action.ts';
import type { InDatabase } from '#server/in-database.ts';
import { settle } from '#server/settle.ts';

// The name ends like a credential's, so that a refusal does not send it back.
const reset = { resetSecret: z.string().max(256) };

/** Shows whose password the link sets. The link itself is the proof that the caller may see it. */
export const readReset = publicAction({
  readsOnly: true,
  input: z.object(reset),
  async run({ inDatabase }, { resetSecret }): Promise<{ email: string }> {
    const { email } = await findReset(inDatabase, resetSecret);
    return { email };
  },
});

/** Sets the password, removes the passkeys and ends every session. It does not sign in, and what is a second factor then stays in force. */
export const setForgottenPassword = publicAction({
  input: z.object({ ...reset, newPassword: z.string() }),
  async run({ inDatabase }, { resetSecret, newPassword }): Promise<null> {
    const { userId, email } = await findReset(inDatabase, resetSecret);
    // Judging takes time, and a password that is refused does not use up the link.
    settle(await inDatabase((ctx) => chargePasswordChange(ctx, userId)), {});
    const reason = await whyPasswordRefused(newPassword, email);
    if (reason !== null) refuseField('newPassword', `The password ${reason}.`);
    const passwordHash = await hashPassword(newPassword);
    const tokenDigest = digestOf(resetSecret);
    const result = await inDatabase((ctx) => usePasswordReset(ctx, { tokenDigest, passwordHash }));
    settle(result, { not_found: GONE });
    notify(email, 'password_reset');
    redirect('/sign-in?notice=password_changed');
  },
});

/** Nothing is hashed for a link that is not valid. */
async function findReset(inDatabase: InDatabase, resetSecret: string): Promise<PasswordReset> {
  if (!isWellFormedPasswordReset(resetSecret)) refuse('invalid', INCOMPLETE);
  const found = await inDatabase(({ db }) => findPasswordReset(db, digestOf(resetSecret)));
  if (found === null) refuse('not_found', GONE);
  return found;
}

const INCOMPLETE = 'This link is not complete. Copy the whole link, up to its last character.';
const GONE = 'This link was used or replaced by a newer one, or it has expired. Ask for a new one.';
