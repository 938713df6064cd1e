import 'server-only';
import type { SignedInUser } from '@ceiba/schema';
import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { DatabaseUnavailableError } from './database.ts';
import { returnPath, signInAddress } from './return-path.ts';
import { readSessionCookie } from './session-cookie.ts';
import { userOfSession } from './session-user.ts';

export type { SignedInUser } from '@ceiba/schema';

/** The signed-in user, read from Postgres once per request; null without a session. */
export const currentUser = cache(async (): Promise<SignedInUser | null> => {
  const session = await readSessionCookie();
  return session && userOfSession(session);
});

/**
 * Whether the browser has a session, by its cookie alone: public pages show during an outage too. The
 * session may have ended since.
 */
export async function hasSession(): Promise<boolean> {
  try {
    return (await readSessionCookie()) !== null;
  } catch (error) {
    // The database has not answered since this console started, so the cookie's name is not known.
    if (error instanceof DatabaseUnavailableError) return false;
    throw error;
  }
}

/**
 * The signed-in user, for pages. Without a session it redirects to sign-in, which leads back here, and to
 * the account page as long as a required second factor is missing.
 */
export async function requireUser(): Promise<SignedInUser> {
  const user = await requireSession();
  if (user.mustAddSecondFactor) redirect('/account');
  return user;
}

/** As {@link requireUser}, also without a required second factor: for the page that sets one up, and its frame. */
export async function requireSession(): Promise<SignedInUser> {
  const user = await currentUser();
  if (user !== null) return user;
  redirect(signInAddress((await headers()).get('x-ceiba-path')));
}

/** The signed-in administrator, for pages. To other users the page does not exist. */
export async function requireAdministrator(): Promise<SignedInUser> {
  const user = await requireUser();
  if (!user.isAdministrator) notFound();
  return user;
}

/** The path that sign-in leads to. A user who is signed in already is redirected to it. */
export async function requireSignedOut(next: string | string[] | undefined): Promise<string> {
  const back = returnPath(typeof next === 'string' ? next : null);
  if ((await currentUser()) !== null) redirect(back);
  return back;
}
