import 'server-only';
import { digestOf, isWellFormedSetupToken, SIGN_IN_CHALLENGE_MINUTES } from '@ceiba/domain';
import { type AttemptResult, chargeSetupToken, checkSetup } from '@ceiba/schema';
import type { InDatabase } from '../in-database.ts';
import { readCookie, setCookie } from '../own-cookies.ts';

/** The digest of a setup token as it was typed; null for anything that cannot be one. */
export function setupTokenDigestOf(typed: string | undefined): Buffer | null {
  const token = typed?.trim() ?? '';
  return isWellFormedSetupToken(token) ? digestOf(token) : null;
}

/**
 * Keeps a right setup token in the browser while the first administrator signs in at a provider. The
 * attempt is counted first.
 */
export async function keepSetupToken(
  inDatabase: InDatabase,
  typed: string | undefined,
): Promise<AttemptResult | { kind: 'setup_token' }> {
  const tokenDigest = setupTokenDigestOf(typed);
  const checked = await inDatabase(async (ctx) => {
    const attempt = await chargeSetupToken(ctx);
    if (attempt.kind === 'limited') return attempt;
    const setup = await checkSetup(ctx.db, tokenDigest);
    return setup === 'refused' ? ({ kind: 'setup_token' } as const) : attempt;
  });
  if (checked.kind === 'admitted') await set(typed?.trim() ?? '', SIGN_IN_CHALLENGE_MINUTES * 60);
  return checked;
}

/** The digest of the token that the browser keeps; null without one. */
export const keptSetupTokenDigest = async (): Promise<Buffer | null> =>
  setupTokenDigestOf(await readCookie('setup-token'));

/** Takes the token from the browser once it is used up. */
export const dropSetupToken = (): Promise<void> => set('', 0);

/** Lax, because the browser comes back from the site of a provider. */
const set = (token: string, maxAgeSeconds: number) =>
  setCookie('setup-token', token, { sameSite: 'lax', maxAgeSeconds });
