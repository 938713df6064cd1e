import { describe, expect, it } from 'vitest';
import { calledOf, stateOf } from './customer-state.ts';

describe('the state of a customer', () => {
  it.each([
    [null, null, true, 'active'],
    [null, 'active', true, 'active'],
    [null, 'trialing', true, 'trialing'],
    [null, 'trialing', false, 'ended'],
    [null, 'past_due', false, 'past_due'],
    [null, 'canceled', false, 'canceled'],
    [new Date(), 'past_due', false, 'suspended'],
    [new Date(), null, true, 'suspended'],
  ] as const)(
    'suspended at %s, with a subscription that is %s and admits: %s, is %s',
    (suspendedAt, subscriptionStatus, admits, state) => {
      expect(stateOf({ suspendedAt, subscriptionStatus }, admits)).toBe(state);
    },
  );

  it('has its name, else its external ID', () => {
    expect(calledOf({ name: 'Acme', externalId: 'acme' })).toBe('Acme');
    expect(calledOf({ name: '', externalId: 'acme' })).toBe('acme');
  });
});
