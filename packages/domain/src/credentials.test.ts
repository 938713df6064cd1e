import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { base62 } from './base62.ts';
import {
  ACCESS_TOKEN_BRAND,
  API_KEY_BRAND,
  apiKeyPattern,
  credentialState,
  digestOf,
  digestsEqual,
  INVITATION_BRAND,
  isKeyBrand,
  isWellFormedAccessToken,
  isWellFormedApiKey,
  isWellFormedInvitation,
  isWellFormedMailLink,
  isWellFormedPasswordReset,
  isWellFormedProjectSecret,
  isWellFormedSetupToken,
  lookupDigestOf,
  mintAccessToken,
  mintApiKey,
  mintInvitation,
  mintMailLink,
  mintPasswordReset,
  mintProjectSecret,
  mintSetupToken,
  PASSWORD_RESET_BRAND,
  PROJECT_SECRET_BRAND,
  publicPartOf,
  publicPrefixOf,
  SETUP_TOKEN_BRAND,
} from './credentials.ts';
import { seeded, seededBytes } from './test-support.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function fromBase62(text: string): bigint {
  return [...text].reduce((sum, digit) => sum * 62n + BigInt(ALPHABET.indexOf(digit)), 0n);
}

const KINDS = [
  ['downstream key', mintApiKey, isWellFormedApiKey, isWellFormedProjectSecret, 'ceiba_'],
  [
    'project secret',
    mintProjectSecret,
    isWellFormedProjectSecret,
    isWellFormedApiKey,
    'ceiba_secret_',
  ],
  ['invitation', mintInvitation, isWellFormedInvitation, isWellFormedApiKey, 'ceiba_invite_'],
  ['mail link', mintMailLink, isWellFormedMailLink, isWellFormedApiKey, 'ceiba_mail_'],
  ['reset', mintPasswordReset, isWellFormedPasswordReset, isWellFormedApiKey, 'ceiba_reset_'],
  ['setup token', mintSetupToken, isWellFormedSetupToken, isWellFormedApiKey, 'ceiba_setup_'],
  ['access token', mintAccessToken, isWellFormedAccessToken, isWellFormedApiKey, 'ceiba_token_'],
] as const;

describe.each(KINDS)('a %s', (_, mint, isWellFormed, isOtherWellFormed, brand) => {
  it('is its brand, 43 digits of 256 random bits and 6 of checksum', () => {
    const bytes = Buffer.from(randomBytes(32));
    const { plaintext, prefix } = mint(() => bytes);
    expect(plaintext).toMatch(new RegExp(`^${brand}[0-9A-Za-z]{49}$`));
    const digits = plaintext.slice(brand.length, brand.length + 43);
    expect(fromBase62(digits)).toBe(BigInt(`0x${bytes.toString('hex')}`));
    expect(prefix).toBe(plaintext.slice(0, brand.length + 8));
  });

  it('keeps its length for the smallest and the largest random number', () => {
    for (const fill of [0, 255]) {
      const { plaintext } = mint((bytes) => new Uint8Array(bytes).fill(fill));
      expect(plaintext).toHaveLength(brand.length + 49);
      expect(isWellFormed(plaintext)).toBe(true);
    }
  });

  it('is well-formed, and never as the other kind', () => {
    const random = seededBytes(seeded(1));
    for (let i = 0; i < 500; i++) {
      const { plaintext } = mint(random);
      expect(isWellFormed(plaintext)).toBe(true);
      expect(isOtherWellFormed(plaintext)).toBe(false);
    }
  });

  it('is no longer well-formed after any change of one character', () => {
    const { plaintext } = mint(seededBytes(seeded(2)));
    for (let at = 0; at < plaintext.length; at++) {
      for (const replacement of `${ALPHABET}_- \n\u0000é`) {
        if (replacement === plaintext[at]) continue;
        const changed = plaintext.slice(0, at) + replacement + plaintext.slice(at + 1);
        expect(isWellFormed(changed), changed).toBe(false);
      }
    }
  });

  it('is no longer well-formed after a swap of neighbours, a cut or an addition', () => {
    const { plaintext } = mint(seededBytes(seeded(3)));
    const swapped = [...plaintext].map((character, at) =>
      [plaintext.slice(0, at), plaintext[at + 1], character, plaintext.slice(at + 2)].join(''),
    );
    const others = swapped.slice(0, -1).filter((text) => text !== plaintext);
    others.push(
      plaintext.slice(0, -1),
      plaintext.slice(1),
      `${plaintext}0`,
      ` ${plaintext}`,
      `${plaintext}\n`,
      '',
    );
    for (const text of others) expect(isWellFormed(text), text).toBe(false);
  });

  it('has only base62 digits, even if the checksum is right', () => {
    for (const foreign of ['-', '_', ' ', 'é', '\u0000']) {
      const body = brand + foreign.repeat(43);
      expect(isWellFormed(body + base62(BigInt(crc32(body)), 6)), body).toBe(false);
    }
    const body = brand + 'a'.repeat(43);
    expect(isWellFormed(body + base62(BigInt(crc32(body)), 6))).toBe(true);
  });

  it('has only its own brand, even if the checksum is right', () => {
    const body = `${brand.slice(0, -1)}-${'a'.repeat(43)}`;
    expect(isWellFormed(body + base62(BigInt(crc32(body)), 6))).toBe(false);
  });

  it('stores the SHA-256 of the whole plaintext', () => {
    const { plaintext, digest } = mint(randomBytes);
    expect(digest).toHaveLength(32);
    expect(digestsEqual(digest, digestOf(plaintext))).toBe(true);
  });

  it('is not minted from a source that returns too few or too many bytes', () => {
    for (const length of [0, 31, 33]) {
      const words = `expected 32 random bytes, got ${length}`;
      expect(() => mint(() => new Uint8Array(length))).toThrow(new RangeError(words));
    }
  });
});

describe('published formats', () => {
  it('freezes the format: these credentials stay valid in every later release', () => {
    const { plaintext, prefix } = mintApiKey((bytes) => new Uint8Array(bytes).map((_, i) => i));
    const secret = mintProjectSecret((bytes) => new Uint8Array(bytes).map((_, i) => i));
    expect({ plaintext, prefix, secret: secret.plaintext }).toMatchInlineSnapshot(`
      {
        "plaintext": "ceiba_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf2KBvCH",
        "prefix": "ceiba_003aUlTJ",
        "secret": "ceiba_secret_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf07xOlU",
      }
    `);
  });

  it('finds each kind in a text, and never one inside the other', () => {
    const key = mintApiKey(randomBytes).plaintext;
    const secret = mintProjectSecret(randomBytes).plaintext;
    const invitation = mintInvitation(randomBytes).plaintext;
    const reset = mintPasswordReset(randomBytes).plaintext;
    const setup = mintSetupToken(randomBytes).plaintext;
    const access = mintAccessToken(randomBytes).plaintext;
    const text = `KEY=${key}; SECRET="${secret}", x${key}, ${key}0, /join#${invitation} #${reset} (${setup}) Bearer ${access}`;
    const inText = (brand: string) => text.match(new RegExp(apiKeyPattern(brand), 'g'));
    expect(inText(API_KEY_BRAND)).toEqual([key]);
    expect(inText(PROJECT_SECRET_BRAND)).toEqual([secret]);
    expect(inText(INVITATION_BRAND)).toEqual([invitation]);
    expect(inText(PASSWORD_RESET_BRAND)).toEqual([reset]);
    expect(inText(SETUP_TOKEN_BRAND)).toEqual([setup]);
    expect(inText(ACCESS_TOKEN_BRAND)).toEqual([access]);
  });

  it('rejects a long invalid text without reading it', () => {
    const garbage = [64 * 1024, 1024 * 1024].map((length) => 'ceiba_'.padEnd(length, 'a'));
    for (const text of garbage) {
      expect(isWellFormedApiKey(text)).toBe(false);
      expect(isWellFormedProjectSecret(text)).toBe(false);
    }
  });
});

describe('digests', () => {
  it('are SHA-256 over UTF-8 (FIPS 180-4, "abc")', () => {
    expect(digestOf('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(digestsEqual(digestOf('é'), digestOf('e\u0301'))).toBe(false);
  });

  it('are equal only byte for byte; different lengths are unequal, not an error', () => {
    const digest = digestOf('a');
    expect(digestsEqual(digest, Uint8Array.from(digest))).toBe(true);
    expect(digestsEqual(digest, digestOf('b'))).toBe(false);
    expect(digestsEqual(digest, digest.subarray(1))).toBe(false);
    expect(digestsEqual(new Uint8Array(), new Uint8Array())).toBe(true);
  });
});

describe('base62', () => {
  it('survives a round trip, padded to at least its length', () => {
    const random = seededBytes(seeded(4));
    for (let i = 0; i < 500; i++) {
      const value = BigInt(`0x${Buffer.from(random(1 + (i % 32))).toString('hex')}`);
      const text = base62(value, 43);
      expect(text).toHaveLength(43);
      expect(fromBase62(text)).toBe(value);
    }
    expect([base62(0n, 1), base62(61n, 1), base62(62n, 1), base62(0n, 6)]).toEqual([
      '0',
      'z',
      '10',
      '000000',
    ]);
  });
});

describe('the public prefix', () => {
  it('is the one that is stored with a key, also if the key has a typing error', () => {
    const { plaintext, prefix } = mintApiKey(randomBytes);
    expect(publicPrefixOf(plaintext)).toBe(prefix);
    expect(publicPrefixOf(` ${plaintext}\n`)).toBe(prefix);
    expect(publicPrefixOf(`${plaintext}0`)).toBe(prefix);
    expect(publicPrefixOf(plaintext.slice(0, -1))).toBe(prefix);
  });

  it('is null for all else, of which the beginning could be the secret part', () => {
    const { plaintext } = mintApiKey(randomBytes);
    const others = [
      null,
      undefined,
      '',
      'letmein',
      `Bearer ${plaintext}`,
      plaintext.slice(0, 30),
      plaintext.repeat(2),
      mintProjectSecret(randomBytes).plaintext,
      mintAccessToken(randomBytes).plaintext,
      'eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo',
    ];
    for (const other of others) expect(publicPrefixOf(other)).toBeNull();
  });
});

describe('a key with the prefix of its project', () => {
  it.each(['acme_', 'a_', 'acme_live_', 'abcdefghijklmnop_', 'a1_2_3_'])('%s is a key', (brand) => {
    const { plaintext, prefix, digest } = mintApiKey(randomBytes, brand);
    expect(plaintext).toMatch(new RegExp(`^${brand}[0-9A-Za-z]{49}$`));
    expect(plaintext.match(new RegExp(apiKeyPattern(brand)))?.[0]).toBe(plaintext);
    expect(prefix).toBe(plaintext.slice(0, brand.length + 8));
    expect(publicPrefixOf(plaintext)).toBe(prefix);
    expect(publicPartOf(plaintext.slice(0, -5))).toBe(prefix);
    expect(publicPartOf(plaintext.slice(0, brand.length + 3))).toHaveLength(brand.length + 3);
    expect(lookupDigestOf(plaintext)).toEqual({ apiKeyDigest: digest, isForeign: false });
  });

  it.each([
    '',
    '_',
    'Acme_',
    'acme',
    '1acme_',
    'acme-live_',
    'abcdefghijklmnopq_',
    'ceiba_live_',
    'my_ceiba_2_',
    'ceiba__',
    'whsec_1_',
    'ceiba_secret_',
    'ceiba_invite_',
    'ceiba_reset_',
    'ceiba_mail_',
    'ceiba_setup_',
    'ceiba_token_',
  ])('%j is no prefix of keys', (brand) => {
    expect(isKeyBrand(brand)).toBe(false);
    expect(isWellFormedApiKey(mintApiKey(randomBytes, brand).plaintext)).toBe(false);
  });

  it('shows no part of another issuer’s secret that begins alike', () => {
    const { plaintext } = mintApiKey(randomBytes, 'acme_');
    expect(publicPrefixOf(`${plaintext.slice(0, -1)}-`)).toBeNull();
    expect(publicPrefixOf('sk_live_4eC39HqLyjWDarjtT1zdp7dc')).toBeNull();
  });
});

describe('a text of another issuer', () => {
  it('is looked up among imported keys where it has 16 to 256 printable characters of ASCII', () => {
    for (const text of ['x'.repeat(16), '~'.repeat(256), `${mintApiKey(randomBytes).plaintext}0`]) {
      expect(lookupDigestOf(text)).toEqual({ apiKeyDigest: digestOf(text), isForeign: true });
    }
  });

  it.each([
    null,
    undefined,
    '',
    'x'.repeat(15),
    'x'.repeat(257),
    'with a blank inside',
    'é'.repeat(16),
  ])('%j is not', (text) => {
    expect(lookupDigestOf(text)).toBeNull();
  });
});

describe('the state of a credential', () => {
  it.each([null, undefined, '', ' ', '\t\r\n', '\u00a0\u2003'])('reads %j as missing', (apiKey) => {
    expect(credentialState(apiKey)).toBe('missing');
  });

  it.each(['x', ' ceiba_x ', '\u0000', 'null', 'undefined'])('reads %j as presented', (apiKey) => {
    expect(credentialState(apiKey)).toBe('presented');
  });
});
