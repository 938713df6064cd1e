/**
 * Downstream keys, project secrets, invitations, resets of passwords, links in mails, setup tokens and
 * access tokens: `<brand><43 base62 digits><6 base62 digits>`. A project chooses the brand of its keys.
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
import { KEY_BRAND_LENGTH_MAX } from './constants.ts';

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

/**
 * What the keys of a project may begin with: the source of a regular expression. None except `ceiba_`
 * itself has `ceiba_` or `whsec_`, with which other credentials begin, so that none is taken for another.
 */
export const KEY_BRAND_PATTERN = `(?:ceiba_|(?![a-z0-9_]*(?:ceiba|whsec)_)[a-z][a-z0-9_]{0,${KEY_BRAND_LENGTH_MAX - 2}}_)`;
const KEY_BRAND = new RegExp(`^${KEY_BRAND_PATTERN}$`);

/** Whether the keys of a project may begin with a text. */
export const isKeyBrand = (text: string): boolean => KEY_BRAND.test(text);

/**
 * For secret scanners: the source of a regular expression that finds in text the keys that begin with a
 * brand.
 */
export const apiKeyPattern = (brand: string): string =>
  `\\b${brand}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}\\b`;

/** A key whose length may be a little wrong: most of its random digits come after the prefix. */
const LOOKS_LIKE_API_KEY = new RegExp(
  `^\\s*(${API_KEY_BRAND}[0-9A-Za-z]{${DISPLAYED_DIGITS}})[0-9A-Za-z]{32,64}\\s*$`,
);

/** Of a text that another issuer's key may be: 16 to 256 printable characters of ASCII. */
const FOREIGN_KEY = /^[!-~]{16,256}$/;

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

/**
 * A new downstream key.
 *
 * @param brand what the keys of its project begin with
 * @throws RangeError when `random` does not return 32 bytes
 */
export function mintApiKey(random: RandomBytes, brand: string = API_KEY_BRAND): MintedCredential {
  return mint(brand, random);
}

/**
 * A new credential of one of the other kinds.
 *
 * @throws RangeError when `random` does not return 32 bytes
 */
type Mint = (random: RandomBytes) => MintedCredential;

const minter =
  (brand: string): Mint =>
  (random) =>
    mint(brand, random);

export const mintProjectSecret = minter(PROJECT_SECRET_BRAND);
export const mintInvitation = minter(INVITATION_BRAND);
export const mintPasswordReset = minter(PASSWORD_RESET_BRAND);
export const mintMailLink = minter(MAIL_LINK_BRAND);
export const mintSetupToken = minter(SETUP_TOKEN_BRAND);
export const mintAccessToken = minter(ACCESS_TOKEN_BRAND);

/** Whether the text has the shape of a downstream key, with any brand, and its checksum agrees. */
export function isWellFormedApiKey(text: string): boolean {
  const brandLength = text.length - RANDOM_DIGITS - CHECKSUM_DIGITS;
  if (brandLength < 2 || brandLength > KEY_BRAND_LENGTH_MAX) return false;
  const brand = text.slice(0, brandLength);
  return isKeyBrand(brand) && isWellFormed(brand, text);
}

/** Whether the text has the shape of a credential of one of the other kinds, and its checksum agrees. */
type Check = (text: string) => boolean;

const checker =
  (brand: string): Check =>
  (text) =>
    isWellFormed(brand, text);

export const isWellFormedProjectSecret = checker(PROJECT_SECRET_BRAND);
export const isWellFormedInvitation = checker(INVITATION_BRAND);
export const isWellFormedPasswordReset = checker(PASSWORD_RESET_BRAND);
export const isWellFormedMailLink = checker(MAIL_LINK_BRAND);
export const isWellFormedSetupToken = checker(SETUP_TOKEN_BRAND);
export const isWellFormedAccessToken = checker(ACCESS_TOKEN_BRAND);

/** How a presented text can be a key. */
export interface KeyDigest {
  apiKeyDigest: Buffer;
  /** Whether only a key can match that was imported from another issuer: the text has no checksum of ours. */
  isForeign: boolean;
}

/**
 * The digest by which to look up a presented key. Null where no key can match: the checksum saves
 * the database a lookup for a text that is not a key.
 */
export function lookupDigestOf(presented: string | null | undefined): KeyDigest | null {
  if (presented == null) return null;
  const isForeign = !isWellFormedApiKey(presented);
  if (isForeign && !FOREIGN_KEY.test(presented)) return null;
  return { apiKeyDigest: digestOf(presented), isForeign };
}

/**
 * The prefix of a presented text that may be stored and shown: that of a key, unknown or, where it
 * begins as most keys do, with a typing error. Null for everything else, such as a project secret or
 * another service's token, of which it would be a part of the secret.
 */
export function publicPrefixOf(presented: string | null | undefined): string | null {
  if (presented == null) return null;
  const text = presented.trim();
  return isWellFormedApiKey(text)
    ? text.slice(0, DISPLAYED_DIGITS - RANDOM_DIGITS - CHECKSUM_DIGITS)
    : (LOOKS_LIKE_API_KEY.exec(text)?.[1] ?? null);
}

const BEGINS_LIKE_API_KEY = new RegExp(
  `^(${KEY_BRAND_PATTERN}[0-9A-Za-z]{${DISPLAYED_DIGITS}})[0-9A-Za-z]*$`,
);

/** As much of a part of a key as is stored and shown of it; any other text as it is. */
export const publicPartOf = (text: string): string => BEGINS_LIKE_API_KEY.exec(text)?.[1] ?? text;

/** SHA-256 of the UTF-8 bytes of the text, 32 bytes. */
export function digestOf(text: string): Buffer {
  // Half the time of `buffer`, which makes a new store for each digest.
  return Buffer.from(hash('sha256', text, 'binary'), 'latin1');
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
