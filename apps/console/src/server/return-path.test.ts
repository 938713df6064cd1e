import { describe, expect, it } from 'vitest';
import { returnPath, signInAddress } from './return-path.ts';

describe('returnPath', () => {
  it('returns a path of this site with its query', () => {
    expect(returnPath('/projects/1/keys?status=active')).toBe('/projects/1/keys?status=active');
  });

  it.each([
    null,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/./\\evil.example',
  ])('returns the projects page for %j', (text) => {
    expect(returnPath(text)).toBe('/projects');
  });
});

describe('signInAddress', () => {
  it('carries the path to return to', () => {
    expect(signInAddress('/account')).toBe('/sign-in?next=%2Faccount');
    expect(signInAddress(null)).toBe('/sign-in');
  });
});
