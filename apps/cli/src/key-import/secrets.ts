import { lookupDigestOf } from '@ceiba/domain';
import { FieldError } from './fields.ts';

/** What identifies the secret of a key to import: never the secret itself. */
export interface SecretDigest {
  digest: string;
  encoding: 'hex' | 'base64' | 'base64url';
}

/** What a configuration has in place of a secret. */
const REFERENCE = /^(?:\{vault:\/\/|\$\{|\{\{)/;

/** Of a secret, which stays on this machine. @throws FieldError for one that no decision would look up */
export function digestOfPlaintext(plaintext: string): SecretDigest {
  if (REFERENCE.test(plaintext)) {
    throw new FieldError('plaintext', 'is a reference to a secret that is somewhere else');
  }
  const asked = lookupDigestOf(plaintext);
  if (asked === null) {
    throw new FieldError('plaintext', 'must be 16 to 256 printable characters of ASCII');
  }
  return { digest: asked.apiKeyDigest.toString('hex'), encoding: 'hex' };
}

const SHOWN_MAX = 8;

/** As much of a secret as is stored and shown of it: at most a quarter. */
export const beginningOf = (plaintext: string) =>
  plaintext.slice(0, Math.min(SHOWN_MAX, Math.floor(plaintext.length / 4)));

/** Hashes that other issuers store, and that no decision can compare with what a caller presents. */
const OTHER_HASHES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^\$2[abxy]?\$/, 'a salted hash, of bcrypt'],
  [/^\$?argon2/i, 'a salted hash, of Argon2'],
  [/^\$?(?:s?crypt)[:$]/i, 'a salted hash, of scrypt'],
  [/^\$?pbkdf2/i, 'a salted hash, of PBKDF2'],
  [/^\$[156y]\$/, 'a salted hash, of crypt'],
  [/^\{?ssha/i, 'a salted hash, of SHA'],
  [/^(?:sha|hmac)[\w-]*[$:]/i, 'a salted hash'],
  [/^[0-9a-f]{32}$/i, 'as long as a hash of MD5'],
  [/^[0-9a-f]{40}$/i, 'as long as a hash of SHA-1'],
  [/^[0-9a-f]{96}$|^[0-9a-f]{128}$/i, 'as long as a hash of SHA-384 or SHA-512'],
];

/** @throws FieldError that names the hash, where it is recognised as another one than SHA-256 */
export function requireSha256(digest: string): void {
  const other = OTHER_HASHES.find(([pattern]) => pattern.test(digest));
  if (other === undefined) return;
  throw new FieldError(
    'digest',
    `is ${other[1]}: only the unsalted SHA-256 of the whole secret can be imported`,
  );
}
