import { parsePathPattern } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { policyHref, prefixOf } from './policy-href.ts';

const patternFor = (pathShape: string, samplePath: string) => {
  const href = policyHref('p1', { method: 'POST', pathShape, samplePath });
  const { pathname, searchParams } = new URL(href, 'http://x');
  expect(pathname).toBe('/projects/p1/policies/new');
  expect(searchParams.get('method')).toBe('POST');
  expect(searchParams.get('path')).toBe(samplePath);
  expect(searchParams.get('denied')).toBe(pathShape);
  return searchParams.get('pathPattern') ?? '';
};

describe('prefixOf', () => {
  it.each([
    ['/v1/orders', '/v1/orders'],
    ['/v1/users/{id}/orders/{id}', '/v1/users'],
    ['/{id}', null],
    ['v1/orders', null],
    [null, null],
  ])('takes of %s the filter %s', (shape, prefix) => {
    expect(prefixOf(shape)).toBe(prefix);
  });
});

describe('policyHref', () => {
  it.each([
    ['/v1/orders', '/v1/orders', '/v1/orders'],
    ['/v1/users/{id}', '/v1/users/7', '/v1/users*'],
    ['/v1/users/{id}/orders/{id}', '/v1/users/7/orders/8', '/v1/users*'],
    ['/', '/', '/'],
  ])('suggests for %s, as in %s, the pattern %s', (shape, sample, pattern) => {
    expect(patternFor(shape, sample)).toBe(pattern);
    expect(parsePathPattern(pattern).ok).toBe(true);
  });

  it('never suggests to allow every path', () => {
    expect(patternFor('/{id}/orders', '/7/orders')).toBe('/7/orders');
  });

  it.each([
    ['/*', '/*'],
    ['/v1/admin/*', '/v1/admin/*'],
    ['/v1/*/{id}', '/v1/*/7'],
  ])('suggests no pattern for %s, as in %s: its * would be a wildcard', (shape, sample) => {
    expect(patternFor(shape, sample)).toBe('');
  });
});
