import { describe, expect, it } from 'vitest';
import { whyHref } from './denial-links.ts';

const denial = {
  denialReason: 'rate_limited',
  apiKeyId: 'k1',
  method: '*',
  pathPattern: '/v1/reports*',
} as const;

describe('whyHref', () => {
  it('fills in the key, and a method and path that the policy matches', () => {
    expect(whyHref('p1', denial)).toBe(
      '/projects/p1/simulator?apiKeyId=k1&method=GET&path=%2Fv1%2Freports',
    );
    expect(whyHref('p1', { ...denial, method: 'POST', pathPattern: '*' })).toContain(
      'method=POST&path=%2F',
    );
  });

  it('fills in any path if the key alone is the reason', () => {
    const revoked = { ...denial, denialReason: 'revoked_api_key', method: null, pathPattern: null };
    expect(whyHref('p1', { ...revoked, denialReason: 'revoked_api_key' })).toBe(
      '/projects/p1/simulator?apiKeyId=k1&path=%2F',
    );
  });

  it('leaves the path empty if the path is the reason', () => {
    const href = whyHref('p1', {
      denialReason: 'policy_no_match',
      apiKeyId: 'k1',
      method: null,
      pathPattern: null,
    });
    expect(href).toBe('/projects/p1/simulator?apiKeyId=k1');
  });
});
