import 'server-only';
import type { SignedInUser } from '@ceiba/schema';
import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { decode } from 'next-auth/jwt';
import { cache } from 'react';
import { env } from '../env.ts';
import { userOfToken } from './accounts/session-token.ts';
import { signInAddress } from './return-path.ts';

export type { SignedInUser } from '@ceiba/schema';

/** As next-auth names it: the prefix makes browsers refuse it over plain HTTP. */
const cookieName = () =>
  `${env().publicOrigin.startsWith('https:') ? '__Secure-' : ''}next-auth.session-token`;

/** Who is signed in, asked of Postgres once for each request; null for anybody else. */
export const currentUser = cache(async (): Promise<SignedInUser | null> => {
  const token = (await cookies()).get(cookieName())?.value;
  return token === undefined ? null : userOfToken(await decodeToken(token));
});

/** Who is signed in, for pages: anybody else is sent to sign in, and back here afterwards. */
export async function requireUser(): Promise<SignedInUser> {
  const user = await currentUser();
  if (user !== null) return user;
  redirect(signInAddress((await headers()).get('x-ceiba-path')));
}

/** A cookie that we did not make, or that is too old, is no cookie. */
async function decodeToken(token: string): Promise<unknown> {
  try {
    return await decode({ token, secret: env().sessionSecret });
  } catch {
    return null;
  }
}
