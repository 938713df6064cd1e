'use server';

import { whyPasswordRefused } from '@ceiba/domain/password-rule';
import { z } from 'zod';
import { isSignUpOpen, signUpWithPassword } from '#server/accounts/sign-up.ts';
import { publicAction, refuse, refuseField } from '#server/action.ts';
import { env } from '../../../env.ts';
import { tooManyAttempts } from '../../../lib/action-state.ts';
import { emailSchema } from '../../../lib/email-schema.ts';

const CLOSED = 'Sign-up is closed. Ask your administrator for an account.';

/** Creates an account with a password. The first user becomes the administrator. */
export const createAccount = publicAction({
  input: z.object({
    email: emailSchema,
    password: z.string(),
  }),
  async run({ inDatabase }, credentials): Promise<null> {
    if (!(await isSignUpOpen())) refuse('forbidden', CLOSED);
    const { email, password } = credentials;
    const reason = await whyPasswordRefused(password, email);
    if (reason !== null) refuseField('password', `The password ${reason}.`);
    const result = await signUpWithPassword(inDatabase, credentials, env().signUp);
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
