import { describe, expect, it } from 'vitest';
import {
  newRecoveryCodes,
  newTotpSecret,
  recoveryCodeDigest,
  totpInvitation,
  totpStep,
} from './totp.ts';

/** The secret and codes of RFC 6238, appendix B, cut to six digits. */
const SECRET = Buffer.from('12345678901234567890');
const CODES = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
] as const;

describe('a code of an authenticator app', () => {
  it.each(CODES)('at %d seconds is the one of RFC 6238', (seconds, code) => {
    expect(totpStep(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it('counts as that of its own step, one step early or late, and no further', () => {
    const [seconds, code] = CODES[1];
    const step = Math.floor(seconds / 30);
    const at = (steps: number) => totpStep(SECRET, code, (step + steps) * 30_000);
    expect([-2, -1, 0, 1, 2].map(at)).toEqual([null, step, step, step, null]);
  });

  it('may have spaces, and nothing else', () => {
    const now = CODES[0][0] * 1000;
    expect(totpStep(SECRET, ' 287 082 ', now)).toBe(1);
    for (const wrong of ['28708', '2870822', '28708a', '-287082', '', '２８７０８２']) {
      expect(totpStep(SECRET, wrong, now)).toBeNull();
    }
  });
});

it('an app learns the secret, the issuer and the account from the address', () => {
  const secret = newTotpSecret();
  const label = { issuer: 'Ceiba (example.com)', email: 'ana@example.com' };
  const { secret: text, address } = totpInvitation(secret, label);
  const { protocol, host, pathname, searchParams } = new URL(address);
  expect([protocol, host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(pathname)).toContain('ana@example.com');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    issuer: 'Ceiba (example.com)',
    secret: text,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  expect(text).toMatch(/^[A-Z2-7]{32}$/);
});

describe('recovery codes', () => {
  it('are ten, all different, of 80 random bits', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  });

  it('are the same code however they are typed, and no six digits are one', () => {
    const [code = ''] = newRecoveryCodes();
    const digest = recoveryCodeDigest(code);
    expect(digest).toHaveLength(32);
    expect(recoveryCodeDigest(` ${code.toUpperCase().replaceAll('-', ' ')}`)).toEqual(digest);
    for (const other of ['123456', code.slice(1), `${code}a`, '']) {
      expect(recoveryCodeDigest(other)).toBeNull();
    }
  });
});
