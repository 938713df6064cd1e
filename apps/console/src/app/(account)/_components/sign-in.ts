'use client';

import { type SignInResponse, signIn } from 'next-auth/react';
import { beginPasskeySignIn } from '#app/(account)/sign-in/actions.ts';
import {
  type ActionState,
  FILL_THIS_IN,
  IDLE,
  refused,
  tooManyAttempts,
} from '#lib/action-state.ts';

/**
 * The ways to sign in; the session is a cookie that scripts cannot read. They have the shape of server
 * actions but run in the browser, because next-auth calls the server itself.
 */

/** Signs in with the form's `email` and `password`, or learns that a code has to follow. */
export async function signInWithPassword(
  _state: unknown,
  form: FormData,
): Promise<ActionState<'signed_in' | 'second_factor'>> {
  const email = String(form.get('email') ?? '');
  const password = String(form.get('password') ?? '');
  const fieldErrors = checkFields(email, password);
  if (Object.keys(fieldErrors).length > 0)
    return refused('invalid', { fieldErrors, values: { email } });
  const answer = await ask('credentials', { email, password });
  if (answer?.error === 'second_factor') return done('second_factor');
  return resultOf(answer, { wrong: 'The e-mail address or the password is wrong.', email });
}

/** Signs in with the form of a new account, and goes to `next`, or to the sign-in page if that fails. */
export async function signInAfterSignUp(form: HTMLFormElement, next: string): Promise<void> {
  const result = await signInWithPassword(null, new FormData(form));
  const signInPage = `/sign-in?next=${encodeURIComponent(next)}`;
  window.location.assign(result.kind === 'done' ? next : signInPage);
}

/** Signs in with the form's `code`, in the browser in which the password was right. */
export async function signInWithCode(
  _state: unknown,
  form: FormData,
): Promise<ActionState<'signed_in'>> {
  const code = String(form.get('code') ?? '').trim();
  if (code === '') return refused('invalid', { fieldErrors: { code: FILL_THIS_IN } });
  return resultOf(await ask('second-factor', { code }), {
    wrong: 'This code is wrong, or it was used before. Wait for the next one.',
  });
}

/** Signs in with a passkey of this browser or of a phone. */
export async function signInWithPasskey(): Promise<ActionState<'signed_in'>> {
  const begun = await beginPasskeySignIn(IDLE, new FormData());
  if (begun.kind !== 'done') return begun.kind === 'refused' ? begun : refused('internal', {});
  const { startAuthentication } = await import('@simplewebauthn/browser');
  let answer: string;
  try {
    answer = JSON.stringify(await startAuthentication({ optionsJSON: begun.data }));
  } catch {
    return refused('invalid', { message: NO_PASSKEY });
  }
  return resultOf(await ask('passkey', { answer }), { wrong: UNKNOWN_PASSKEY });
}

const NO_PASSKEY = 'No passkey was used. Try again, or sign in with your password.';
const UNKNOWN_PASSKEY =
  'This passkey does not sign in here: it was removed, or it is of another console. Sign in with your password.';
const PASSKEY_REQUIRED =
  'A second factor is required here, and yours is a passkey. Sign in with it instead of the password.';
const EXPIRED = 'That took too long. Start again.';
const UNAVAILABLE = 'The console could not check this. Try again in a moment.';

/** Undefined if the server does not answer. */
async function ask(
  provider: string,
  fields: Record<string, string>,
): Promise<SignInResponse | undefined> {
  try {
    return await signIn(provider, { ...fields, redirect: false });
  } catch {
    return undefined;
  }
}

function resultOf(
  answer: SignInResponse | undefined,
  { wrong, email = '' }: { wrong: string; email?: string },
): ActionState<'signed_in'> {
  if (answer?.ok) return done('signed_in');
  const values = { email };
  const limited = /^limited:(\d+)$/.exec(answer?.error ?? '');
  if (limited) {
    return refused('rate_limited', { message: tooManyAttempts(Number(limited[1])), values });
  }
  if (answer?.error === 'CredentialsSignin') return refused('invalid', { message: wrong, values });
  if (answer?.error === 'passkey_required')
    return refused('forbidden', { message: PASSKEY_REQUIRED, values });
  if (answer?.error === 'expired') return refused('conflict', { message: EXPIRED, values });
  return refused('unavailable', { message: UNAVAILABLE, values });
}

const done = <Data>(data: Data): ActionState<Data> => ({ kind: 'done', data, at: Date.now() });

function checkFields(email: string, password: string): Record<string, string> {
  const fieldErrors: Record<string, string> = {};
  if (email === '') fieldErrors.email = FILL_THIS_IN;
  else if (!email.includes('@')) fieldErrors.email = 'Must be an e-mail address.';
  if (password === '') fieldErrors.password = FILL_THIS_IN;
  return fieldErrors;
}
