/**
 * Downstream keys, project secrets, invitations, resets of passwords, links in mails, setup tokens and
 * access tokens: `<brand><43 base62 digits><6 base62 digits>`.
 *
 * The 43 digits are 256 random bits as one big-endian number, so no digit is biased beyond the
 * number itself. The 6 are the CRC-32 (ISO-HDLC, the one of zlib and PNG) over the ASCII
 * bytes of everything before them: brand and 43 digits. The checksum is not a secret; it
 * distinguishes a typing error from an unknown key without a lookup. ADR 0001 explains why SHA-256
 * is enough.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62 } from './base62.ts';

export const API_KEY_BRAND = 'ceiba_';
export const PROJECT_SECRET_BRAND = 'ceiba_secret_';
export const INVITATION_BRAND = 'ceiba_invite_';
export const PASSWORD_RESET_BRAND = 'ceiba_reset_';
export const MAIL_LINK_BRAND = 'ceiba_mail_';
export const SETUP_TOKEN_BRAND = 'ceiba_setup_';
export const ACCESS_TOKEN_BRAND = 'ceiba_token_';

const RANDOM_BYTES = 32;
const RANDOM_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const DISPLAYED_DIGITS = 8;
/** Of the prefix of a key that is stored and shown, in characters. */
export const API_KEY_PREFIX_LENGTH = API_KEY_BRAND.length + DISPLAYED_DIGITS;

/** For secret scanners: the source of a regular expression that finds a downstream key in text. */
export const API_KEY_PATTERN = `\\b${API_KEY_BRAND}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;
/** For secret scanners: the source of a regular expression that finds a project secret in text. */
export const PROJECT_SECRET_PATTERN = `\\b${PROJECT_SECRET_BRAND}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;

/** For secret scanners: the source of a regular expression that finds an invitation in text. */
export const INVITATION_PATTERN = `\\b${INVITATION_BRAND}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;

/** For secret scanners: the source of a regular expression that finds the reset of a password in text. */
export const PASSWORD_RESET_PATTERN = `\\b${PASSWORD_RESET_BRAND}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;

/** For secret scanners: the source of a regular expression that finds the link of an alert mail in text. */
export const MAIL_LINK_PATTERN = `\\b${MAIL_LINK_BRAND}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;

/** For secret scanners: the source of a regular expression that finds a setup token in text. */
export const SETUP_TOKEN_PATTERN = `\\b${SETUP_TOKEN_BRAND}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;

/** For secret scanners: the source of a regular expression that finds a user's access token in text. */
export const ACCESS_TOKEN_PATTERN = `\\b${ACCESS_TOKEN_BRAND}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;

/** A key whose length may be a little wrong: most of its random digits come after the prefix. */
const LOOKS_LIKE_API_KEY = new RegExp(
  `^\\s*(${API_KEY_BRAND}[0-9A-Za-z]{${DISPLAYED_DIGITS}})[0-9A-Za-z]{32,64}\\s*$`,
);

export type CredentialState = 'missing' | 'presented';

/** Whether a request carries a credential. Whitespace alone does not count. */
export function credentialState(apiKey: string | null | undefined): CredentialState {
  return apiKey != null && /\S/.test(apiKey) ? 'presented' : 'missing';
}

/** A source of random bytes, such as `crypto.randomBytes`. */
export type RandomBytes = (bytes: number) => Uint8Array;

export interface MintedCredential {
  /** Shown once, never stored. */
  plaintext: string;
  /** The brand and the first 8 digits: safe to store and to show. */
  prefix: string;
  /** SHA-256 of the plaintext, 32 bytes: what is stored and compared. */
  digest: Buffer;
}

/** A new downstream key. @throws RangeError when `random` does not return 32 bytes. */
export function mintApiKey(random: RandomBytes): MintedCredential {
  return mint(API_KEY_BRAND, random);
}

/** A new project secret. @throws RangeError when `random` does not return 32 bytes. */
export function mintProjectSecret(random: RandomBytes): MintedCredential {
  return mint(PROJECT_SECRET_BRAND, random);
}

/** A new invitation to a project. @throws RangeError when `random` does not return 32 bytes. */
export function mintInvitation(random: RandomBytes): MintedCredential {
  return mint(INVITATION_BRAND, random);
}

/** A new reset of a password. @throws RangeError when `random` does not return 32 bytes. */
export function mintPasswordReset(random: RandomBytes): MintedCredential {
  return mint(PASSWORD_RESET_BRAND, random);
}

/** A new link of an alert mail. @throws RangeError when `random` does not return 32 bytes. */
export function mintMailLink(random: RandomBytes): MintedCredential {
  return mint(MAIL_LINK_BRAND, random);
}

/** A new token for the first administrator. @throws RangeError when `random` does not return 32 bytes. */
export function mintSetupToken(random: RandomBytes): MintedCredential {
  return mint(SETUP_TOKEN_BRAND, random);
}

/** A new access token of a user. @throws RangeError when `random` does not return 32 bytes. */
export function mintAccessToken(random: RandomBytes): MintedCredential {
  return mint(ACCESS_TOKEN_BRAND, random);
}

/** Whether the text has the shape of a downstream key and its checksum agrees. */
export function isWellFormedApiKey(text: string): boolean {
  return isWellFormed(API_KEY_BRAND, text);
}

/** Whether the text has the shape of a project secret and its checksum agrees. */
export function isWellFormedProjectSecret(text: string): boolean {
  return isWellFormed(PROJECT_SECRET_BRAND, text);
}

/** Whether the text has the shape of an invitation and its checksum agrees. */
export function isWellFormedInvitation(text: string): boolean {
  return isWellFormed(INVITATION_BRAND, text);
}

/** Whether the text has the shape of the reset of a password and its checksum agrees. */
export function isWellFormedPasswordReset(text: string): boolean {
  return isWellFormed(PASSWORD_RESET_BRAND, text);
}

/** Whether the text has the shape of the link of an alert mail and its checksum agrees. */
export function isWellFormedMailLink(text: string): boolean {
  return isWellFormed(MAIL_LINK_BRAND, text);
}

/** Whether the text has the shape of a setup token and its checksum agrees. */
export function isWellFormedSetupToken(text: string): boolean {
  return isWellFormed(SETUP_TOKEN_BRAND, text);
}

/** Whether the text has the shape of an access token and its checksum agrees. */
export function isWellFormedAccessToken(text: string): boolean {
  return isWellFormed(ACCESS_TOKEN_BRAND, text);
}

/**
 * The digest by which to look up a presented key. Null where no key can match: the checksum saves
 * the database a lookup for a text that is not a key.
 */
export const lookupDigestOf = (presented: string | null | undefined): Buffer | null =>
  presented != null && isWellFormedApiKey(presented) ? digestOf(presented) : null;

/**
 * The prefix of a presented text that may be stored and shown: that of a key, unknown or with a typing
 * error. Null for everything else, such as a project secret or another service's token.
 */
export const publicPrefixOf = (presented: string | null | undefined): string | null =>
  (presented != null && LOOKS_LIKE_API_KEY.exec(presented)?.[1]) || null;

/** SHA-256 of the UTF-8 bytes of the text, 32 bytes. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Compares in time that does not depend on where the digests differ; false for two lengths. */
export function digestsEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

function mint(brand: string, random: RandomBytes): MintedCredential {
  const bytes = random(RANDOM_BYTES);
  if (bytes.byteLength !== RANDOM_BYTES) {
    throw new RangeError(`expected ${RANDOM_BYTES} random bytes, got ${bytes.byteLength}`);
  }
  const body = brand + base62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), RANDOM_DIGITS);
  const plaintext = body + checksumOf(body);
  const prefix = body.slice(0, brand.length + DISPLAYED_DIGITS);
  return { plaintext, prefix, digest: digestOf(plaintext) };
}

const DIGITS = /^[0-9A-Za-z]+$/;

/** Length first: this runs on every decision, also for 64 KiB of garbage. */
function isWellFormed(brand: string, text: string): boolean {
  const bodyLength = brand.length + RANDOM_DIGITS;
  return (
    text.length === bodyLength + CHECKSUM_DIGITS &&
    text.startsWith(brand) &&
    DIGITS.test(text.slice(brand.length)) &&
    checksumOf(text.slice(0, bodyLength)) === text.slice(bodyLength)
  );
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_DIGITS);
}
