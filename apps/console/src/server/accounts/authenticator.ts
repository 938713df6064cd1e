import 'server-only';
import { renderSVG } from 'uqr';
import { env } from '../../env.ts';
import { seal, unseal } from './seal.ts';
import {
  newRecoveryCodes,
  newTotpSecret,
  recoveryCodeDigest,
  totpInvitation,
  totpStep,
} from './totp.ts';

/**
 * A new secret of an app: sealed for its user, and as the app takes it, in base32 and as an SVG at a
 * `data:` address.
 */
export function newAuthenticator({ userId, email }: { userId: string; email: string }) {
  const plain = newTotpSecret();
  const { host } = new URL(env().publicOrigin);
  const label = { issuer: `Ceiba (${host.replaceAll(':', ' ')})`, email };
  const { secret, address } = totpInvitation(plain, label);
  const svg = renderSVG(address, { ecc: 'M', border: 2 });
  const qrCode = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  return {
    sealedSecret: seal(env().sessionSecret, userId, plain),
    shown: { secret, qrCode },
  };
}

/** Reads the time step of a typed code; null for a code that is not the app's now. */
type ReadStep = (code: string) => number | null;

/** @returns null when `NEXTAUTH_SECRET` has changed since the secret was sealed */
export function openAuthenticator(userId: string, sealedSecret: Buffer): ReadStep | null {
  const secret = unseal(env().sessionSecret, userId, sealedSecret);
  return secret && ((code) => totpStep(secret, code, Date.now()));
}

/** New recovery codes, and the digests by which they are stored. */
export function mintRecoveryCodes(): { codes: string[]; recoveryDigests: Buffer[] } {
  const codes = newRecoveryCodes();
  return { codes, recoveryDigests: codes.flatMap((text) => recoveryCodeDigest(text) ?? []) };
}
