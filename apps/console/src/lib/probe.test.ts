import { expect, it } from 'vitest';
import { isProbe } from './probe.ts';

it.each([
  '/v1/../admin',
  '/v1/..',
  '/v1/%2e%2E/admin',
  '/v1/%252e%252e/admin',
  '/v1/..%2fadmin',
  '/v1\\admin',
  '/v1/%5cadmin',
  '/v1/reports%00.json',
])('calls %s a probe', (path) => {
  expect(isProbe(path)).toBe(true);
});

it.each([
  null,
  '/',
  '/v1/reports/42',
  '/v1//reports',
  '/v1/files/a%2Fb',
  '/v1/files/100%25',
  '/.well-known/openid-configuration',
  '/v1/files/..hidden',
  '/v1/files/report.v2.pdf',
])('does not call %s a probe', (path) => {
  expect(isProbe(path)).toBe(false);
});
