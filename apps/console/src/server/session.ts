import 'server-only';
import type { SignedInUser } from '@ceiba/schema';
import { cookies, headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { decode } from 'next-auth/jwt';
import { cache } from 'react';
import { env } from '../env.ts';
import { userOfToken } from './accounts/session-token.ts';
import { returnPath, signInAddress } from './return-path.ts';

export type { SignedInUser } from '@ceiba/schema';

/** The name that next-auth uses. Browsers refuse the `__Secure-` prefix over plain HTTP. */
const cookieName = () =>
  `${env().publicOrigin.startsWith('https:') ? '__Secure-' : ''}next-auth.session-token`;

/** The signed-in user, read from Postgres once per request; null without a session. */
export const currentUser = cache(async (): Promise<SignedInUser | null> => {
  const token = (await cookies()).get(cookieName())?.value;
  return token === undefined ? null : userOfToken(await decodeToken(token));
});

/**
 * Whether the browser has a session, by its cookie alone: public pages show during an outage too. The
 * session may have ended since.
 */
export async function hasSession(): Promise<boolean> {
  const token = (await cookies()).get(cookieName())?.value;
  return token !== undefined && (await decodeToken(token)) !== null;
}

/** The signed-in user, for pages. Without a session it redirects to sign-in, which leads back here. */
export async function requireUser(): Promise<SignedInUser> {
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

/** Null for a cookie that this console did not issue, or that has expired. */
async function decodeToken(token: string): Promise<unknown> {
  try {
    return await decode({ token, secret: env().sessionSecret });
  } catch {
    return null;
  }
}
