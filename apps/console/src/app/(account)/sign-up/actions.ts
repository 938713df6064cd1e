'use server';

import { chargeAttempt, hashPassword, signUp, whyPasswordRefused } from '@ceiba/schema';
import { z } from 'zod';
import { isSignUpOpen } from '#server/accounts/sign-up-policy.ts';
import { publicAction, refuse, refuseField } from '#server/action.ts';
import { env } from '../../../env.ts';

const CLOSED = 'Sign-up is closed here. Ask whoever runs this console for an account.';

/** Creates an account with a password. The first person to do so is the administrator. */
export const createAccount = publicAction({
  input: z.object({
    email: z.string().trim().max(254).pipe(z.email('must be an e-mail address')),
    password: z.string(),
  }),
  async run({ ctx }, { email, password }) {
    const reason = whyPasswordRefused(password);
    if (reason !== null) refuseField('password', `The password ${reason}.`);
    if (!(await isSignUpOpen())) refuse('forbidden', CLOSED);
    const attempt = await chargeAttempt(ctx, email);
    if (attempt.kind === 'limited') {
      const minutes = Math.ceil(attempt.retryAfterSeconds / 60);
      refuse('rate_limited', `Too many attempts. Try again in ${minutes} min.`);
    }
    const passwordHash = await hashPassword(password);
    const result = await signUp(ctx, { email, passwordHash, policy: env().signUp });
    if (result.kind === 'email_taken') {
      refuseField('email', 'An account with this address exists already. Sign in instead.');
    }
    if (result.kind === 'closed') refuse('forbidden', CLOSED);
    return null;
  },
});
