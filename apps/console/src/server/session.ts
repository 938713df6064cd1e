import 'server-only';
import { findSession, type SignedInUser } from '@ceiba/schema';
import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { decode } from 'next-auth/jwt';
import { cache } from 'react';
import { env } from '../env.ts';
import { sessionTokenSchema } from './accounts/auth-options.ts';
import { withDatabase } from './database.ts';
import { signInAddress } from './return-path.ts';

export type { SignedInUser } from '@ceiba/schema';

/** As next-auth names it: the prefix makes browsers refuse it over plain HTTP. */
const cookieName = () =>
  `${env().publicOrigin.startsWith('https:') ? '__Secure-' : ''}next-auth.session-token`;

/** Who is signed in, asked of Postgres once for each request; null for anybody else. */
export const currentUser = cache(async (): Promise<SignedInUser | null> => {
  const token = (await cookies()).get(cookieName())?.value;
  if (token === undefined) return null;
  const claims = sessionTokenSchema.safeParse(await decodeToken(token));
  if (!claims.success) return null;
  const user = await withDatabase((db) => findSession(db, claims.data.sid));
  return user?.userId === claims.data.sub ? user : null;
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
