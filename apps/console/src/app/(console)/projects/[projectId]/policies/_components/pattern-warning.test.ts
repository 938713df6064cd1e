import { compilePolicies, parsePathPattern } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { warningOf, wideningOf } from './pattern-warning.ts';

describe('wideningOf', () => {
  it.each([
    ['/v1/users*', '/v1/users/{id}/orders', '/v1/users and every path below it'],
    ['/v1/orders*', '/v1/orders', '/v1/orders and every path below it'],
    ['/*', '/v1/users/{id}', '/ and every path below it'],
    ['*', '/v1/users/{id}', 'every path'],
  ])('says of %s, suggested for %s, what else it allows', (pattern, denied, allowed) => {
    expect(wideningOf(pattern, denied)).toBe(
      `This allows more than the denied calls: ${allowed}, not only ${denied}.`,
    );
  });

  it.each([
    ['/v1/users/7/orders', '/v1/users/{id}/orders'],
    ['/v1/use*', '/v1/users/{id}'],
    ['/v1/users*', ''],
    ['*', ''],
  ])('says nothing of %s for %j', (pattern, denied) => {
    expect(wideningOf(pattern, denied)).toBeNull();
  });
});

describe('warningOf', () => {
  it.each([
    ['/v1/users/{id}', '{id}', '/v1/users/*'],
    ['/v1/users/:id', ':id', '/v1/users/*'],
    ['/v1/users/<int:id>/posts', '<int:id>', '/v1/users/*'],
    ['/users/[id]*', '[id]', '/users/*'],
    ['/v1/users/{id}.json', '{id}.json', '/v1/users/*'],
    ['/v1/files/[name].tar*', '[name].tar', '/v1/files/*'],
    ['/:version/users', ':version', '/*'],
  ])('warns that %s matches its parameter as text', (pattern, parameter, instead) => {
    expect(warningOf(pattern)).toContain(`${parameter} matches only this text`);
    expect(warningOf(pattern)?.split(', write ')[1]).toBe(`${instead}.`);
    const parsed = parsePathPattern(instead);
    if (!parsed.ok) throw new Error(parsed.reason);
    const policy = { policyId: '1', method: 'GET', pathPattern: parsed.pattern };
    const call = pattern.replace(parameter, '42').replace('*', '');
    expect(compilePolicies([policy]).match('GET', call)).toBe(policy);
  });

  it('warns that a bare * matches ambiguous paths too', () => {
    expect(warningOf('*')).toContain('/v1/../admin');
    const policy = { policyId: '1', method: 'GET', pathPattern: '*' };
    expect(compilePolicies([policy]).match('GET', '/v1/../admin')).toBe(policy);
    const below = { ...policy, pathPattern: '/*' };
    expect(compilePolicies([below]).match('GET', '/v1/../admin')).toBeNull();
  });

  it.each(['/v1/reports', '/v1/reports*', '/*', '/v1/items:search', '/v1/{', '/v1/a{b}c'])(
    'does not warn about %s',
    (pattern) => {
      expect(warningOf(pattern)).toBeNull();
    },
  );
});
