import { expect, it } from 'vitest';
import { exampleCall } from './example-call.ts';

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
