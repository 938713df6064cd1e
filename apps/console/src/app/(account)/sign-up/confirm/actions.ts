'use server';

import { z } from 'zod';
import { isSignUpOpen, signUpLink, signUpWithPassword } from '#server/accounts/index.ts';
import { publicAction, refuse } from '#server/action.ts';
import { done } from '#server/settle.ts';
import { env } from '../../../../env.ts';

// The name ends like a credential's, so that a refusal does not send it back.
const link = { signUpSecret: z.string().max(4096) };

/** Shows whose account the link creates. The link itself is the proof that the caller may see it. */
export const readSignUp = publicAction({
  readsOnly: true,
  input: z.object(link),
  run: (_context, { signUpSecret }) => readLink(signUpSecret),
});

/** Creates the account of a confirmed address. */
export const finishSignUp = publicAction({
  input: z.object({ ...link, password: z.string() }),
  async run({ inDatabase }, { signUpSecret, password }): Promise<null> {
    const { email } = await readLink(signUpSecret);
    if (!(await isSignUpOpen())) refuse('forbidden', CLOSED);
    return done(await signUpWithPassword(inDatabase, { email, password }, env().signUp), {
      weak_password: ({ reason }) => ({ field: 'password', text: `The password ${reason}.` }),
      email_taken: 'This account was created already. Sign in instead.',
      setup_token: { code: 'forbidden', text: CLOSED },
      closed: CLOSED,
    });
  },
});

async function readLink(signUpSecret: string): Promise<{ email: string }> {
  const claims = await signUpLink.read(signUpSecret);
  return claims ?? refuse('not_found', GONE);
}

const CLOSED = 'Sign-up is closed. Ask your administrator for an account.';
const GONE = 'This link is not complete, or it has expired. Sign up again to get a new one.';
