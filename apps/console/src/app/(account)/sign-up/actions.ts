'use server';

import { emailSchema } from '@ceiba/contract';
import { z } from 'zod';
import {
  isSignUpOpen,
  keepSetupToken,
  mailSignUpLink,
  signsUpByMail,
  signUpWithPassword,
} from '#server/accounts/index.ts';
import { publicAction, refuse, refuseField } from '#server/action.ts';
import { done } from '#server/settle.ts';
import { env } from '../../../env.ts';
import { FILL_THIS_IN } from '../../../lib/action-state.ts';

const CLOSED = 'Sign-up is closed. Ask your administrator for an account.';
/** The same for a token that is missing, wrong, replaced or used up. */
const NOT_THE_TOKEN = {
  field: 'setupToken',
  text: 'Enter the setup token that "ceiba setup-token" printed last. It works once.',
};

const setupToken = z.string().max(256).optional();

/**
 * Creates an account with a password. The first one takes the setup token and is the administrator.
 * With a mail server it mails a link to others instead, whose page asks for the password.
 */
export const createAccount = publicAction({
  input: z.object({
    email: emailSchema,
    password: z.string().optional(),
    setupToken,
  }),
  async run({ inDatabase }, { email, password, ...token }): Promise<null> {
    if (!(await isSignUpOpen())) refuse('forbidden', CLOSED);
    // The answer is the same whether or not the address has an account.
    if (await signsUpByMail()) return done(await mailSignUpLink(inDatabase, email), {});
    if (password === undefined) refuseField('password', FILL_THIS_IN);
    const account = { email, password, ...token };
    return done(await signUpWithPassword(inDatabase, account, env().signUp), {
      setup_token: NOT_THE_TOKEN,
      weak_password: ({ reason }) => ({ field: 'password', text: `The password ${reason}.` }),
      email_taken: {
        field: 'email',
        text: 'An account with this address exists already. Sign in instead.',
      },
      closed: CLOSED,
    });
  },
});

/** Keeps the setup token for the first administrator, who signs in at a provider next. */
export const proveSetup = publicAction({
  input: z.object({ setupToken }),
  async run({ inDatabase }, input): Promise<null> {
    if (!(await isSignUpOpen())) refuse('forbidden', CLOSED);
    return done(await keepSetupToken(inDatabase, input.setupToken), { setup_token: NOT_THE_TOKEN });
  },
});
