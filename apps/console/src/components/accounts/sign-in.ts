'use client';

import { signIn } from 'next-auth/react';
import { tooManyAttempts } from '../../lib/too-many-attempts.ts';

export type SignInResult =
  | { kind: 'signed_in' }
  | { kind: 'wrong' | 'unavailable' }
  | { kind: 'limited'; retryAfterSeconds: number };

/** Signs in with a password; the session arrives as a cookie that scripts cannot read. */
export async function signInWithPassword(email: string, password: string): Promise<SignInResult> {
  try {
    const answer = await signIn('credentials', { email, password, redirect: false });
    if (answer?.ok) return { kind: 'signed_in' };
    const limited = /^limited:(\d+)$/.exec(answer?.error ?? '');
    if (limited) return { kind: 'limited', retryAfterSeconds: Number(limited[1]) };
    return { kind: answer?.error === 'CredentialsSignin' ? 'wrong' : 'unavailable' };
  } catch {
    return { kind: 'unavailable' };
  }
}

/** What to tell somebody who was not let in. */
export function sentenceFor(result: Exclude<SignInResult, { kind: 'signed_in' }>): string {
  switch (result.kind) {
    case 'wrong':
      return 'The e-mail address or the password is wrong.';
    case 'limited':
      return tooManyAttempts(result.retryAfterSeconds);
    case 'unavailable':
      return 'The console could not check that just now. Try again in a moment.';
  }
}
