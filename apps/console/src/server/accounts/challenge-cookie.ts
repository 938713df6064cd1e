import 'server-only';
import { randomBytes } from 'node:crypto';
import { type ChallengePurpose, digestOf, SIGN_IN_CHALLENGE_MINUTES } from '@ceiba/domain';
import { cookies } from 'next/headers';
import { env } from '../../env.ts';

/**
 * The token that binds a challenge to one browser: in a cookie that scripts cannot read and that no
 * other site's request carries. Postgres has its digest.
 */
const isSecure = () => env().publicOrigin.startsWith('https:');

/** Browsers accept the `__Host-` prefix only over HTTPS; it keeps other subdomains from setting it. */
const nameOf = (purpose: ChallengePurpose) =>
  `${isSecure() ? '__Host-' : ''}ceiba.${purpose.replaceAll('_', '-')}`;

/** Gives the browser a new token. @returns its digest */
export async function issueChallengeToken(purpose: ChallengePurpose): Promise<Buffer> {
  const token = randomBytes(32).toString('base64url');
  await setCookie(purpose, token, SIGN_IN_CHALLENGE_MINUTES * 60);
  return digestOf(token);
}

/** The digest of the browser's token; null without one. */
export async function challengeTokenDigest(purpose: ChallengePurpose): Promise<Buffer | null> {
  const token = (await cookies()).get(nameOf(purpose))?.value;
  return token === undefined ? null : digestOf(token);
}

/** Takes the token from the browser once it is used up. */
export async function dropChallengeToken(purpose: ChallengePurpose): Promise<void> {
  await setCookie(purpose, '', 0);
}

/** Always with the same attributes: browsers ignore a `__Host-` cookie that is not `Secure`. */
async function setCookie(purpose: ChallengePurpose, value: string, maxAge: number): Promise<void> {
  (await cookies()).set(nameOf(purpose), value, {
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(),
    path: '/',
    maxAge,
  });
}
