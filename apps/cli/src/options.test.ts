import { mintApiKey } from '@ceiba/domain';
import { describe, expect, test } from 'vitest';
import { consoleUrl, keyOrPrefix } from './options.ts';

describe('a key', () => {
  test.each(['ceiba_4fZk2Qpa', 'acme_live_4fZk2Qpa', 'sk-prod-12', 'AbC.1'])(
    'is found by the prefix of any project or issuer: %s',
    (prefix) => {
      expect(keyOrPrefix(prefix)).toBe(prefix);
    },
  );

  const bytes = (length: number) => new Uint8Array(length).fill(7);
  test.each([
    ['a whole key', mintApiKey(bytes).plaintext],
    ['a whole key of a project with another prefix', mintApiKey(bytes, 'acme_live_').plaintext],
    ['text that is longer than a prefix', 'x'.repeat(65)],
    ['text with a space', 'sk prod'],
    ['nothing', ''],
  ])('is not named by %s', (_, text) => {
    expect(() => keyOrPrefix(text)).toThrow("must be a key's id, or its prefix");
  });
});

describe('the address of a console', () => {
  test.each([
    'https://console.example.com',
    'http://localhost:3000',
    'http://ceiba.localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])('may be %s', (url) => {
    expect(consoleUrl(url)).toBe(url);
  });

  test.each(['http://console.example.com', 'http://10.0.0.1:3000', 'http://localhost.example.com'])(
    'is not plain HTTP to another machine, which would show the access token: %s',
    (url) => {
      expect(() => consoleUrl(url)).toThrow('must use https');
    },
  );
});
