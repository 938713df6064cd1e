import { randomBytes } from 'node:crypto';
import { canonicalPath, LOGGED_PATH_BYTES_MAX, mintApiKey, mintProjectSecret } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { loggedPath, withoutApiKey } from './redact.ts';

const KEY = mintApiKey(randomBytes).plaintext;

describe('the path that is logged', () => {
  it.each([
    ['/v1/reports/42/?page=2', '/v1/reports/42'],
    ['/', '/'],
    ['/v1/caf%C3%A9', '/v1/caf%C3%A9'],
  ])('of %s is canonical: %s', (target, path) => {
    expect(loggedPath(target, KEY)).toBe(path);
  });

  it.each([
    ['/a//b?token=hunter22', '/a//b'],
    ['/v1/../admin', '/v1/../admin'],
    ['no slash', 'no slash'],
    ['', ''],
    ['/a#b?token=hunter22', '/a#'],
    ['/a%3Ftoken=hunter22', '/a%3F'],
    ['/a\u0000b\nc', '/a\ufffdb\ufffdc'],
  ])('of %j, which has no canonical form, has none either: %j', (target, path) => {
    expect(loggedPath(target, KEY)).toBe(path);
    expect(canonicalPath(path)).toBeNull();
  });

  it.each(['/x', '/ä', '/€', '/😀'])(
    'of many %s is cut to what the table holds, and remains without canonical form',
    (part) => {
      const path = loggedPath(part.repeat(3_000), KEY);
      expect(Buffer.byteLength(path)).toBeLessThanOrEqual(LOGGED_PATH_BYTES_MAX);
      expect(Buffer.byteLength(path)).toBeGreaterThan(LOGGED_PATH_BYTES_MAX - 16);
      expect(path.endsWith('…')).toBe(true);
      expect(canonicalPath(path)).toBeNull();
    },
  );

  it('is whole at the longest path that policies match', () => {
    const longest = `/${'x'.repeat(2_047)}`;
    expect(loggedPath(longest, KEY)).toBe(longest);
  });
});

describe('a credential in a path', () => {
  const escaped = (text: string) =>
    [...text].map((it) => `%${it.charCodeAt(0).toString(16)}`).join('');
  const TOKENS = [KEY, mintProjectSecret(randomBytes).plaintext, 'Zm9yZWlnbi10b2tlbg=='];

  it.each(['/v1/$/x', '/v1//$', '/v1/x$y', '/a?b=$'])('is removed from %s', (place) => {
    for (const token of TOKENS) {
      for (const form of [token, encodeURIComponent(token), escaped(token)]) {
        const path = loggedPath(place.replace('$', form), token);
        expect(path).not.toContain(token);
        expect(decodeURIComponent(path)).not.toContain(token);
      }
    }
  });

  it('is removed however often it is escaped', () => {
    let form = `/${KEY}/x`;
    for (let times = 1; times <= 6; times += 1) {
      form = escaped(form);
      for (const path of [loggedPath(`/v1${form}`, null), loggedPath(`/v1${form}/%ff`, null)]) {
        let plain = path;
        for (let depth = 0; depth < 7; depth += 1) {
          plain = plain.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
        }
        expect(plain).not.toContain(KEY);
      }
    }
    expect(loggedPath('/v1/100%25%32%35', null)).toBe('/v1/100%25%32%35');
  });

  it('is removed beside an escape that cannot be decoded', () => {
    for (const end of ['%ff', '%', '%zz']) {
      expect(loggedPath(`/v1/${escaped(KEY)}/${end}`, null)).toBe(`/v1/ceiba_[redacted]/${end}`);
    }
  });

  it('is removed where the cut would leave a part of it', () => {
    const token = 'Zm9yZWlnbi10b2tlbi10b2tlbi10b2tlbg';
    const path = loggedPath(`/${'ä'.repeat(1_014)}/${token}`, token);
    expect(path).not.toContain(token.slice(0, 4));
  });

  it('is not a short word that the caller sent as a key', () => {
    expect(loggedPath('/v1/reports', 'v1')).toBe('/v1/reports');
  });

  it('is removed from any other text', () => {
    expect(withoutApiKey(KEY, null)).toBe('ceiba_[redacted]');
    expect(withoutApiKey('job-hunter2222', ' hunter2222 ')).toBe('job-[redacted]');
    expect(withoutApiKey('PROPFIND', 'hunter2222')).toBe('PROPFIND');
  });
});
