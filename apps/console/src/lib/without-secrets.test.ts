import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './without-secrets.ts';

describe('withoutSecrets', () => {
  it.each([
    ['ceiba_0123456789abcdef', 'ceiba_01234567'],
    ['ceiba_secret_0123456789abcdef', 'ceiba_secret_01234567'],
    [' by ceiba_01234567ZZ, ceiba_secret_abcdefghZZ', ' by ceiba_01234567, ceiba_secret_abcdefgh'],
    ['ceiba_01234567', 'ceiba_01234567'],
    ['Mobile app', 'Mobile app'],
  ])('%s becomes %s', (text, cut) => {
    expect(withoutSecrets(text)).toBe(cut);
  });
});
