import 'server-only';
import { randomBytes } from 'node:crypto';
import { type ChallengePurpose, digestOf, SIGN_IN_CHALLENGE_MINUTES } from '@ceiba/domain';
import { type CookiePurpose, readCookie, setCookie } from '../own-cookies.ts';

/**
 * The token that binds a challenge to one browser: in a cookie that no other site's request carries.
 * Postgres has its digest.
 */
const COOKIES = {
  second_factor: 'second-factor',
  sign_in_passkey: 'sign-in-passkey',
  add_passkey: 'add-passkey',
} as const satisfies Record<ChallengePurpose, CookiePurpose>;

/** Gives the browser a new token. @returns its digest */
export async function issueChallengeToken(purpose: ChallengePurpose): Promise<Buffer> {
  const token = randomBytes(32).toString('base64url');
  const maxAgeSeconds = SIGN_IN_CHALLENGE_MINUTES * 60;
  await setCookie(COOKIES[purpose], token, { sameSite: 'strict', maxAgeSeconds });
  return digestOf(token);
}

/** The digest of the browser's token; null without one. */
export async function challengeTokenDigest(purpose: ChallengePurpose): Promise<Buffer | null> {
  const token = await readCookie(COOKIES[purpose]);
  return token === undefined ? null : digestOf(token);
}

/** Takes the token from the browser once it is used up. */
export async function dropChallengeToken(purpose: ChallengePurpose): Promise<void> {
  await setCookie(COOKIES[purpose], '', { sameSite: 'strict', maxAgeSeconds: 0 });
}
