'use client';

import { signIn } from 'next-auth/react';
import {
  type ActionState,
  FILL_THIS_IN,
  type Refusal,
  type RefusalCode,
  tooManyAttempts,
} from '#lib/action-state.ts';

/**
 * Signs in with the form's `email` and `password`; the session is a cookie that scripts cannot read.
 * It has the shape of a server action but runs in the browser, because next-auth calls the server
 * itself.
 */
export async function signInWithPassword(_state: unknown, form: FormData): Promise<ActionState> {
  const email = String(form.get('email') ?? '');
  const password = String(form.get('password') ?? '');
  const refused = (code: RefusalCode, reason: Partial<Refusal>): Refusal => {
    return { kind: 'refused', code, fieldErrors: {}, values: { email }, at: Date.now(), ...reason };
  };
  const fieldErrors = checkFields(email, password);
  if (Object.keys(fieldErrors).length > 0) return refused('invalid', { fieldErrors });
  try {
    const answer = await signIn('credentials', { email, password, redirect: false });
    if (answer?.ok) return { kind: 'done', data: null, at: Date.now() };
    const limited = /^limited:(\d+)$/.exec(answer?.error ?? '');
    if (limited) return refused('rate_limited', { message: tooManyAttempts(Number(limited[1])) });
    if (answer?.error === 'CredentialsSignin') return refused('invalid', { message: WRONG });
  } catch {
    // No answer from the server is an outage too.
  }
  return refused('unavailable', { message: UNAVAILABLE });
}

const WRONG = 'The e-mail address or the password is wrong.';
const UNAVAILABLE = 'The console could not check your password. Try again in a moment.';

function checkFields(email: string, password: string): Record<string, string> {
  const fieldErrors: Record<string, string> = {};
  if (email === '') fieldErrors.email = FILL_THIS_IN;
  else if (!email.includes('@')) fieldErrors.email = 'Must be an e-mail address.';
  if (password === '') fieldErrors.password = FILL_THIS_IN;
  return fieldErrors;
}
