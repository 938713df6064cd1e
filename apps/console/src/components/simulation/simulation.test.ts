import { describe, expect, it } from 'vitest';
import {
  type ExplainedDecision,
  type GateView,
  gatesUpTo,
  isSameVerdict,
  joined,
} from './simulation.ts';

const FIX = { text: 'Enable the key.', href: '/key', label: 'Go to the key' };
const CAUSE = { text: 'The audit log has every change.', href: '/audit', label: 'Changes' };

const decision = (
  denying: 'expired_api_key' | 'scope' | 'policy_no_match' | null,
  view: GateView = {},
): ExplainedDecision => ({
  denialReason: denying === 'scope' ? 'policy_no_match' : denying,
  apiKey: null,
  method: 'GET',
  path: '/v1/reports',
  gates: gatesUpTo(denying, (_, stopped) => (stopped ? view : {})),
});

describe('isSameVerdict', () => {
  it('compares the gates as well as the reasons, which two gates share', () => {
    expect(isSameVerdict(decision(null), decision(null))).toBe(true);
    expect(isSameVerdict(decision('scope'), decision('scope'))).toBe(true);
    expect(isSameVerdict(decision('scope'), decision('policy_no_match'))).toBe(false);
    expect(isSameVerdict(decision('expired_api_key'), decision(null))).toBe(false);
  });
});

describe('joined', () => {
  it('has what was seen then, the fix of now and beside it the cause', () => {
    const recorded = decision('expired_api_key', { saw: 'disabled', remedy: CAUSE });
    const now = decision('expired_api_key', { saw: 'disabled now', at: '2026', remedy: FIX });
    const denied = joined(recorded, now).gates.find(({ state }) => state === 'denied');
    expect(denied).toMatchObject({ saw: 'disabled', at: '2026', remedy: FIX, cause: CAUSE });
  });

  it('has the cause alone where nothing can be fixed', () => {
    const recorded = decision('expired_api_key', { remedy: CAUSE });
    const denied = joined(recorded, decision('expired_api_key')).gates.find(
      ({ state }) => state === 'denied',
    );
    expect(denied).toMatchObject({ remedy: CAUSE });
    expect(denied).not.toHaveProperty('cause');
  });
});
