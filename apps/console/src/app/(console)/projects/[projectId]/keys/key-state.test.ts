import { describe, expect, it } from 'vitest';
import { stateOf } from './key-state.ts';

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
