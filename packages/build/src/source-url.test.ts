import { afterEach, describe, expect, test, vi } from 'vitest';
import { sourceUrl } from './source-url.mjs';

afterEach(() => vi.unstubAllEnvs());

describe('the address of the source', () => {
  test('is that of the build, and empty where it is not set', () => {
    vi.stubEnv('CEIBA_SOURCE_URL', ' https://git.example.com/ceiba ');
    expect(sourceUrl()).toBe('https://git.example.com/ceiba');
    vi.stubEnv('CEIBA_SOURCE_URL', '');
    expect(sourceUrl()).toBe('');
  });

  test('is that of a page, so that the link of the console can run no script', () => {
    for (const address of ['javascript:alert(1)', 'git@example.com:ceiba', 'https://']) {
      vi.stubEnv('CEIBA_SOURCE_URL', address);
      expect(sourceUrl).toThrow('CEIBA_SOURCE_URL must be an address');
    }
  });
});
