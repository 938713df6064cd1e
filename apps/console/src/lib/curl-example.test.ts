import { expect, it } from 'vitest';
import { curlExample, exampleCall } from './curl-example.ts';

it.each([
  ['/v1/a;b<c', "'http://localhost:4200/v1/a;b<c'"],
  ["/v1/it's", String.raw`'http://localhost:4200/v1/it'\''s'`],
])('quotes %s as one word of the shell', (path, word) => {
  expect(curlExample('key', { method: 'GET', path })).toBe(
    `curl -H 'x-api-key: key' \\\n  ${word}\n`,
  );
});

it('passes a method other than GET with -X', () => {
  expect(curlExample('key', { method: 'POST', path: '/' })).toContain('curl -X POST -H ');
});

const policy = (method: string, pathPattern: string) => ({ policyId: 'p', method, pathPattern });

it.each([
  ['the example host without a policy', [], 'GET /v1/reports'],
  [
    'the example host if a policy allows it',
    [
      ['POST', '/v2'],
      ['*', '/v1/*'],
    ],
    'GET /v1/reports',
  ],
  [
    'else what the first policy allows',
    [
      ['POST', '/v2/users*'],
      ['GET', '/v1'],
    ],
    'POST /v2/users',
  ],
  ['the root for every path', [['PUT', '*']], 'PUT /'],
] as const)('calls %s', (_, policies, expected) => {
  const { method, path } = exampleCall(policies.map(([name, pattern]) => policy(name, pattern)));
  expect(`${method} ${path}`).toBe(expected);
});
