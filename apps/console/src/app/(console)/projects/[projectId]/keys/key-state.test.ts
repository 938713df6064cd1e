import { describe, expect, it } from 'vitest';
import { stateOf } from './key-state.ts';

const DISABLED = '2026-11-22T14:05:09.123Z';

describe('stateOf', () => {
  it.each([
    ['active', null, false, 'active'],
    ['active', null, true, 'expired'],
    ['active', DISABLED, false, 'disabled'],
    ['active', DISABLED, true, 'disabled'],
    ['revoked', DISABLED, true, 'revoked'],
    ['archived', DISABLED, true, 'archived'],
  ] as const)(
    'of the status %s, disabled at %s, expired: %s, is %s',
    (status, disabledAt, isExpired, state) => {
      expect(stateOf({ status, disabledAt, isExpired })).toBe(state);
    },
  );
});
