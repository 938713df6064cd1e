import 'server-only';
import { readInstallationId } from '@ceiba/schema';
import { cookies } from 'next/headers';
import { env } from '../env.ts';
import { withSessionDatabase } from './session-database.ts';

/**
 * The console's cookies, which scripts cannot read. Browsers send a cookie to every port of a host, so
 * each name has the first digits of the installation's ID: two installations on one machine do not sign
 * each other out.
 */

/** What a cookie of this console is for. next-auth sets the first six. */
export type CookiePurpose =
  | 'session-token'
  | 'callback-url'
  | 'csrf-token'
  | 'pkce'
  | 'state'
  | 'nonce'
  | 'setup-token'
  | 'second-factor'
  | 'sign-in-passkey'
  | 'add-passkey';

/** Browsers accept the `__Host-` prefix only over HTTPS; it keeps other subdomains from setting it. */
export async function cookieName(purpose: CookiePurpose): Promise<string> {
  const id = await installationId();
  return `${isSecure() ? '__Host-' : ''}ceiba.${id.slice(0, ID_DIGITS)}.${purpose}`;
}

/** Always the same: browsers ignore a `__Host-` cookie without `Secure`, or with another path. */
export const cookieAttributes = () => ({ httpOnly: true, secure: isSecure(), path: '/' }) as const;

/** Undefined if the browser sent no such cookie; needs no database to find that none could be it. */
export async function readCookie(purpose: CookiePurpose): Promise<string | undefined> {
  const sent = await cookies();
  const isSent = sent.getAll().some(({ name }) => name.endsWith(`.${purpose}`));
  return isSent ? sent.get(await cookieName(purpose))?.value : undefined;
}

export interface CookieOptions {
  sameSite: 'strict' | 'lax';
  maxAgeSeconds: number;
}

export async function setCookie(
  purpose: CookiePurpose,
  value: string,
  { sameSite, maxAgeSeconds }: CookieOptions,
): Promise<void> {
  const name = await cookieName(purpose);
  (await cookies()).set(name, value, { ...cookieAttributes(), sameSite, maxAge: maxAgeSeconds });
}

const ID_DIGITS = 8;

const isSecure = () => env().publicOrigin.startsWith('https:');

/** Read once: it never changes, and public pages show during an outage. */
async function installationId(): Promise<string> {
  knownId ??= await withSessionDatabase(readInstallationId);
  return knownId;
}
let knownId: string | undefined;
