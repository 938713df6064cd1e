import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import { addressSubject } from '@ceiba/schema';
import { headers } from 'next/headers';
import { env } from '../env.ts';
import { clientAddress } from './client-address.ts';
import { readSessionCookie } from './session-cookie.ts';

const named = new AsyncLocalStorage<string>();

/** Counts the calls of some work in this share, whatever cookie the request has. */
export const inShare = <T>(share: string, work: () => Promise<T>): Promise<T> =>
  named.run(share, work);

/** Whose share a request's calls of the database count in: the user's, or else the client address's. */
export async function currentShare(): Promise<string> {
  const share = named.getStore();
  if (share !== undefined) return share;
  const session = await readSessionCookie();
  return session === null ? shareOfAddress(await headers()) : session.sub;
}

/** The share of requests without a user: that of their address. */
export const shareOfAddress = (sent: Headers): string =>
  `address ${addressSubject(clientAddress(sent, env().trustedProxyHops))}`;
