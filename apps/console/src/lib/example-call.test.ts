import { expect, it } from 'vitest';
import { exampleCall, hostCall } from './example-call.ts';

const policy = (method: string, pathPattern: string) => ({ policyId: 'p', method, pathPattern });

it.each([
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
  const call = exampleCall(policies.map(([name, pattern]) => policy(name, pattern)));
  expect(`${call?.method} ${call?.path}`).toBe(expected);
});

it('calls what is open to the caller, by the policy that decides, and nothing where none is', () => {
  const policies = [
    { ...policy('GET', '/v1/reports'), isOpen: false },
    { ...policy('GET', '/v1/reports*'), isOpen: true },
    { ...policy('POST', '/v2*'), isOpen: true },
  ];
  const isOpen = (one: { isOpen: boolean }) => one.isOpen;
  expect(exampleCall(policies, isOpen)).toEqual({ method: 'POST', path: '/v2' });
  expect(exampleCall(policies, () => false)).toBeNull();
  expect(exampleCall([])).toBeNull();
});

it.each([
  ['the route of its guide', '/v1/reports', [['GET', '/v1*']], '/v1/reports'],
  [
    'the first path that is open to GET',
    '/v1/reports',
    [
      ['POST', '/v2/users*'],
      ['GET', '/v2/orders*'],
    ],
    '/v2/orders',
  ],
  ['nothing that no policy allows', '/v1/reports', [['POST', '/v2/users*']], undefined],
  ['a procedure by its own name alone', '/trpc/reports.list', [['GET', '/v1*']], undefined],
] as const)('calls of a framework %s', (_, path, policies, expected) => {
  const call = hostCall(
    { path },
    policies.map(([name, pattern]) => policy(name, pattern)),
  );
  expect(call?.path).toBe(expected);
});
