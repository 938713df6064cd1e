'use client';

import { signIn } from 'next-auth/react';
import {
  type ActionState,
  FILL_THIS_IN,
  type Refusal,
  type RefusalCode,
} from '#lib/action-state.ts';
import { tooManyAttempts } from '#lib/too-many-attempts.ts';

/**
 * Signs in with the form's `email` and `password`; the session arrives as a cookie that scripts
 * cannot read. As forms want their actions, except that it runs in the browser: next-auth has a
 * way of its own to the server.
 */
export async function signInWithPassword(_state: unknown, form: FormData): Promise<ActionState> {
  const email = String(form.get('email') ?? '');
  const password = String(form.get('password') ?? '');
  const refused = (code: RefusalCode, said: Partial<Refusal>): Refusal => {
    return { kind: 'refused', code, fieldErrors: {}, values: { email }, at: Date.now(), ...said };
  };
  const fieldErrors = whatIsMissing(email, password);
  if (Object.keys(fieldErrors).length > 0) return refused('invalid', { fieldErrors });
  try {
    const answer = await signIn('credentials', { email, password, redirect: false });
    if (answer?.ok) return { kind: 'done', data: null, at: Date.now() };
    const limited = /^limited:(\d+)$/.exec(answer?.error ?? '');
    if (limited) return refused('rate_limited', { message: tooManyAttempts(Number(limited[1])) });
    if (answer?.error === 'CredentialsSignin') return refused('invalid', { message: WRONG });
  } catch {
    // No answer: as when the server says that it cannot tell.
  }
  return refused('unavailable', { message: UNAVAILABLE });
}

const WRONG = 'The e-mail address or the password is wrong.';
const UNAVAILABLE = 'The console could not check that just now. Try again in a moment.';

function whatIsMissing(email: string, password: string): Record<string, string> {
  const fieldErrors: Record<string, string> = {};
  if (email === '') fieldErrors.email = FILL_THIS_IN;
  else if (!email.includes('@')) fieldErrors.email = 'Must be an e-mail address.';
  if (password === '') fieldErrors.password = FILL_THIS_IN;
  return fieldErrors;
}
