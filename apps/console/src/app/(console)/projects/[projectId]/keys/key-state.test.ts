import { describe, expect, it } from 'vitest';
import { stateOf, usedUpQuotaOf } from './key-state.ts';

const DISABLED = '2026-11-22T14:05:09.123Z';

describe('stateOf', () => {
  it.each([
    ['active', null, false, null, 'active'],
    ['active', null, false, 'customer_suspended', 'customer_suspended'],
    ['active', null, true, 'customer_suspended', 'expired'],
    ['active', DISABLED, false, 'customer_suspended', 'disabled'],
    ['active', DISABLED, true, null, 'disabled'],
    ['revoked', DISABLED, true, null, 'revoked'],
    ['archived', null, false, 'customer_past_due', 'archived'],
  ] as const)(
    'of the status %s, disabled at %s, expired: %s, its customer: %s, is %s',
    (status, disabledAt, isExpired, customerDenial, state) => {
      expect(stateOf({ status, disabledAt, isExpired, customerDenial })).toBe(state);
    },
  );
});

describe('usedUpQuotaOf', () => {
  const UNUSED = {
    status: 'active',
    usedThisMonth: 0,
    monthlyQuota: null,
    usedToday: 0,
    dailyQuota: null,
  } as const;

  it.each([
    ['without quotas, no quota', { usedThisMonth: 9 }, null],
    ['below its quotas, no quota', { usedThisMonth: 9, monthlyQuota: 10, dailyQuota: 1 }, null],
    [
      'at its quota of the day, that one',
      { usedThisMonth: 9, monthlyQuota: 10, usedToday: 5, dailyQuota: 5 },
      { window: 'day', quota: 5 },
    ],
    [
      'at both, the one that ends later',
      { usedThisMonth: 11, monthlyQuota: 10, usedToday: 5, dailyQuota: 5 },
      { window: 'month', quota: 10 },
    ],
    ['with a quota of 0, that one', { dailyQuota: 0 }, { window: 'day', quota: 0 }],
    [
      'that is revoked, no quota',
      { status: 'revoked', usedToday: 5, dailyQuota: 5 } as const,
      null,
    ],
  ])('of a key %s', (_, use, found) => {
    expect(usedUpQuotaOf({ ...UNUSED, ...use })).toEqual(found);
  });
});
