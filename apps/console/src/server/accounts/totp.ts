import { randomBytes } from 'node:crypto';
import { digestOf, RECOVERY_CODES } from '@ceiba/domain';
import { Secret, TOTP } from 'otpauth';

/** What every authenticator app supports: six digits, 30 seconds, SHA-1 (RFC 6238). */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;

const totpOf = (secret: Uint8Array, label?: { issuer: string; email: string }) =>
  new TOTP({
    ...(label === undefined ? {} : { issuer: label.issuer, label: label.email }),
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
    digits: 6,
    period: PERIOD_SECONDS,
    algorithm: 'SHA1',
  });

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

export interface TotpInvitation {
  /** In base32, for typing. */
  secret: string;
  /** `otpauth://…`, for a QR code. */
  address: string;
}

/** What an app needs to know a secret. */
export function totpInvitation(
  secret: Uint8Array,
  label: { issuer: string; email: string },
): TotpInvitation {
  const totp = totpOf(secret, label);
  return { secret: totp.secret.base32, address: totp.toString() };
}

/**
 * The time step whose code this is: the current one or, because clocks differ, the one before or
 * after. Null for any other text.
 *
 * @param now in milliseconds
 */
export function totpStep(secret: Uint8Array, code: string, now: number): number | null {
  const digits = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return null;
  const delta = totpOf(secret).validate({ token: digits, timestamp: now, window: 1 });
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

/** New recovery codes: 80 random bits each, as `abcd-efgh-ijkl-mnop`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32
      .toLowerCase()
      .replaceAll(/(.{4})(?=.)/g, '$1-'),
  );

/** The digest of a recovery code, however it was typed; null for a text that is none. */
export function recoveryCodeDigest(code: string): Buffer | null {
  const letters = code.toLowerCase().replaceAll(/[\s-]/g, '');
  return /^[a-z2-7]{16}$/.test(letters) ? digestOf(letters) : null;
}
