'use server';

import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import { z } from 'zod';
import { mailSignUpLink } from '#server/accounts/confirm-address.ts';
import { isSignUpOpen, signsUpByMail, signUpWithPassword } from '#server/accounts/sign-up.ts';
import { publicAction, refuse, refuseField } from '#server/action.ts';
import type { InDatabase } from '#server/in-database.ts';
import { env } from '../../../env.ts';
import { FILL_THIS_IN, tooManyAttempts } from '../../../lib/action-state.ts';
import { emailSchema } from '../../../lib/email-schema.ts';

const CLOSED = 'Sign-up is closed. Ask your administrator for an account.';

/**
 * Creates an account with a password. The first user becomes the administrator. With a mail server it
 * mails a link instead, whose page asks for the password.
 */
export const createAccount = publicAction({
  input: z.object({
    email: emailSchema,
    password: z.string().optional(),
  }),
  async run({ inDatabase }, { email, password }): Promise<null> {
    if (!(await isSignUpOpen())) refuse('forbidden', CLOSED);
    if (await signsUpByMail()) return mailLink(inDatabase, email);
    if (password === undefined) refuseField('password', FILL_THIS_IN);
    const reason = await whyPasswordRefused(password, email);
    if (reason !== null) refuseField('password', `The password ${reason}.`);
    const result = await signUpWithPassword(inDatabase, { email, password }, env().signUp);
    switch (result.kind) {
      case 'created':
        return null;
      case 'limited':
        return refuse('rate_limited', tooManyAttempts(result.retryAfterSeconds));
      case 'email_taken':
        return refuseField(
          'email',
          'An account with this address exists already. Sign in instead.',
        );
      case 'closed':
        return refuse('forbidden', CLOSED);
    }
  },
});

/** The answer is the same whether or not the address has an account. */
async function mailLink(inDatabase: InDatabase, email: string): Promise<null> {
  const result = await mailSignUpLink(inDatabase, email);
  if (result.kind === 'limited') refuse('rate_limited', tooManyAttempts(result.retryAfterSeconds));
  return null;
}
