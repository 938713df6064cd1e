import 'server-only';
import { addressSubject } from '@ceiba/schema';
import { headers } from 'next/headers';
import { env } from '../env.ts';
import { clientAddress } from './client-address.ts';
import { readSessionCookie } from './session-cookie.ts';

/** Whose share a request's calls of the database count in: the user's, or else the client address's. */
export async function currentShare(): Promise<string> {
  const session = await readSessionCookie();
  if (session !== null) return session.sub;
  return `address ${addressSubject(clientAddress(await headers(), env().trustedProxyHops))}`;
}
