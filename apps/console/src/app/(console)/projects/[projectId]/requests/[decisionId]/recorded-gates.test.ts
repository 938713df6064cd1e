import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { explainRecord, type RecordedFacts } from './recorded-gates.ts';

const projectId = 'p1';
const decision: RecordedFacts['decision'] = {
  method: 'GET',
  path: '/v1/reports',
  outcome: 'allowed',
  denialDetail: null,
  apiKeyId: '6f9619ff-8b86-4d01-b42d-00c04fc964ff',
  keyPrefix: 'ceiba_Mobile01',
  policyId: '7f9619ff-8b86-4d01-b42d-00c04fc964ff',
  limits: {
    rateLimitPerMinute: 60,
    monthlyQuota: 1_000,
    remainingThisMinute: 0,
    remainingThisMonth: 250,
  },
  limitOwner: null,
};
const apiKey = { displayName: 'Mobile app', keyPrefix: 'ceiba_Mobile01' };
const policy = { method: '*', pathPattern: '/v1*' };

const gatesOf = (facts: Parameters<typeof explainRecord>[0]) =>
  explainRecord(facts).gates.map(({ denies, state, saw }) => `${denies} ${state}: ${saw}`);

describe('explainRecord', () => {
  it.each(DENIAL_REASONS)('ends the line of gates at %s, and at no other', (outcome) => {
    const { denialReason, gates } = explainRecord({
      projectId,
      decision: { ...decision, outcome },
      apiKey,
      policy,
    });
    expect(denialReason).toBe(outcome);
    const stoppedAt = DENIAL_REASONS.indexOf(outcome);
    gates.forEach(({ denies, state }, index) => {
      expect(denies).toBe(DENIAL_REASONS[index]);
      if (index < stoppedAt) expect(state).toBe('passed');
      else if (index === stoppedAt) expect(state).toMatch(/^(denied|limited)$/);
      else expect(state).toBe('not_reached');
    });
  });

  it('passes every gate of an allow, with the values of the record', () => {
    expect(explainRecord({ projectId, decision, apiKey, policy })).toMatchObject({
      denialReason: null,
      apiKey,
      method: 'GET',
      path: '/v1/reports',
    });
    const gates = gatesOf({ projectId, decision, apiKey, policy });
    expect(gates.every((gate) => gate.includes(' passed: '))).toBe(true);
    expect(gates).toContain('invalid_api_key passed: Mobile app');
    expect(gates).toContain('policy_no_match passed: ANY /v1*');
    expect(gates).toContain('quota_exceeded passed: 750 of 1,000 used');
    expect(gates).toContain('rate_limited passed: 60 of 60 per minute used');
  });

  it.each([
    ['quota_exceeded', 'plan', 'quota_exceeded limited: 750 of 1,000 used: the limit of the plan'],
    [
      'rate_limited',
      'api_key',
      'rate_limited limited: 60 of 60 per minute used: the limit of this key',
    ],
    [
      'rate_limited',
      'project_default',
      "rate_limited limited: 60 of 60 per minute used: the project's default for its keys",
    ],
    ['rate_limited', null, 'rate_limited limited: 60 of 60 per minute used'],
  ] as const)('says of %s whose limit it was: %s', (outcome, limitOwner, gate) => {
    const refused = { ...decision, outcome, limitOwner };
    expect(gatesOf({ projectId, decision: refused, apiKey, policy })).toContain(gate);
  });

  it('names the prefix of an unknown key', () => {
    const unknown = {
      ...decision,
      outcome: 'invalid_api_key',
      apiKeyId: null,
      keyPrefix: 'ceiba_Unknown0',
    } as const;
    const facts = { projectId, apiKey: undefined, policy: undefined };
    expect(gatesOf({ decision: unknown, ...facts })).toContain(
      'invalid_api_key denied: ceiba_Unknown0…, no key of this project',
    );
    expect(gatesOf({ decision: { ...unknown, keyPrefix: null }, ...facts })).toContain(
      'invalid_api_key denied: not a well-formed key',
    );
  });

  it('says that a policy was deleted since', () => {
    expect(gatesOf({ projectId, decision, apiKey, policy: undefined })).toContain(
      'policy_no_match passed: a policy that was deleted since',
    );
  });

  it.each([
    ['expired_api_key', 'disabled', 'disabled'],
    ['expired_api_key', null, 'expired or disabled'],
    ['inactive_subscription', 'period_ended', 'its period had ended'],
    ['inactive_subscription', null, 'not active'],
  ] as const)('says which state denied as %s: %s', (outcome, denialDetail, words) => {
    const denied = { ...decision, outcome, denialDetail };
    expect(gatesOf({ projectId, decision: denied, apiKey, policy })).toContain(
      `${outcome} denied: ${words}`,
    );
  });

  it.each([
    ['expired_api_key', `/projects/p1/audit?q=${decision.apiKeyId}`],
    ['inactive_subscription', '/projects/p1/audit?kind=subscription'],
    ['revoked_api_key', undefined],
  ] as const)('leads from %s to the changes that say more: %s', (outcome, href) => {
    const { gates } = explainRecord({
      projectId,
      decision: { ...decision, outcome },
      apiKey,
      policy,
    });
    const remedies = gates.flatMap(({ denies, remedy }) => (remedy ? [[denies, remedy.href]] : []));
    expect(remedies).toEqual(href === undefined ? [] : [[outcome, href]]);
  });
});
