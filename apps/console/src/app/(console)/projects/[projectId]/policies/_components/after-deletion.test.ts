import { inMatchOrder, type PolicyFacts, successorFinder } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { afterDeletion } from './after-deletion.ts';

/** `GET /v1* [admin] 25`: method, pattern, labels and cost, both as they are by default if absent. */
function policy(line: string): PolicyFacts {
  const [, method = '', pathPattern = '', labels, cost] =
    /^(\S+) (\S+)(?: \[(.*)\])?(?: (\d+))?$/.exec(line) ?? [];
  const scopes = labels?.split(' ') ?? null;
  return { policyId: line, method, pathPattern, scopes, cost: Number(cost ?? 1) };
}

function deleting(line: string, ...others: string[]): string {
  const all = inMatchOrder([line, ...others].map(policy));
  return afterDeletion(policy(line), successorFinder(all)(policy(line)));
}

const DENIED = 'Calls that no other policy matches are denied from the next request on.';

describe('afterDeletion', () => {
  it('says that no call is denied only where labels and cost are equal', () => {
    const same = 'ANY /v1* covers the same calls, so no call is denied.';
    expect(deleting('GET /v1/reports*', '* /v1*', '* /*')).toBe(same);
    expect(deleting('GET /v1/reports* [a b] 5', '* /v1* [a b] 5')).toBe(same);
    expect(deleting('* /v1/reports*', 'GET /v1/reports*', 'GET /v1*', '* /v1*')).toBe(same);
  });

  it('says that calls are denied which no other policy matches', () => {
    expect(deleting('GET /v1/reports*', 'GET /v2*')).toBe(DENIED);
    expect(deleting('* /v1/reports*', 'GET /v1*')).toBe(DENIED);
  });

  it('says that restricted keys are denied by a policy without labels', () => {
    expect(deleting('GET /v1/reports* [reports]', 'GET /v1*')).toBe(
      'GET /v1* then decides these calls: it has no labels, so it is closed to restricted keys.',
    );
  });

  it('says to which keys the next policy is open', () => {
    expect(deleting('GET /v1/admin* [admin]', 'GET /v1* [basic]')).toBe(
      'GET /v1* then decides these calls: it is open to restricted keys with the scope basic.',
    );
    expect(deleting('GET /v1/admin*', 'GET /v1* [a b c d]')).toBe(
      'GET /v1* then decides these calls: it is open to restricted keys with one of the scopes a, b, c and 1 more.',
    );
  });

  it('says what a call costs then', () => {
    expect(deleting('GET /v1/status 0', 'GET /v1* 25')).toBe(
      'GET /v1* then decides these calls: a call costs 25.',
    );
    expect(deleting('GET /v1/status [a]', 'GET /v1* 0')).toBe(
      'GET /v1* then decides these calls: it has no labels, so it is closed to restricted keys, and a call is free.',
    );
  });

  it('names the policy that decides the calls of one method, covered or not', () => {
    const get = 'GET /v1* then decides the GET calls: a call costs 2.';
    expect(deleting('* /v1/a*', 'GET /v1* 2')).toBe(`${DENIED} ${get}`);
    expect(deleting('* /v1/a*', 'GET /v1* 2', '* /*')).toBe(get);
    expect(deleting('* /v1/a*', 'GET /v1* 2', '* /* 3')).toBe(
      `${get} ANY /* then decides the other calls: a call costs 3.`,
    );
  });

  it('names at most three', () => {
    const others = ['A', 'B', 'C', 'D', 'E'].map((method) => `${method} /v1* 2`);
    const words = deleting('* /v1/a*', ...others);
    expect(words).toContain(
      'C /v1* then decides the C calls: a call costs 2. So do 2 more policies',
    );
    expect(words).not.toContain('D /v1*');
  });
});
