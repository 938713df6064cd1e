import type { Limits } from '@ceiba/contract';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { GATE_NAMES } from '#components/simulation/simulation.ts';
import { explainRecord, type RecordedFacts } from './recorded-gates.ts';

const projectId = 'p1';
const decision: RecordedFacts['decision'] = {
  method: 'GET',
  path: '/v1/reports',
  outcome: 'allowed',
  denialDetail: null,
  apiKeyId: '6f9619ff-8b86-4d01-b42d-00c04fc964ff',
  keyPrefix: 'ceiba_Mobile01',
  byPreviousSecret: null,
  policyId: '7f9619ff-8b86-4d01-b42d-00c04fc964ff',
  limits: {
    rateLimitPerMinute: 60,
    monthlyQuota: 1_000,
    remainingThisMinute: 0,
    remainingThisMonth: 250,
  },
  customerId: null,
  limitOwner: null,
  limitWindow: null,
  limitValue: null,
};
const apiKey = { displayName: 'Mobile app', keyPrefix: 'ceiba_Mobile01' };
const customer = undefined;
const policy = { method: '*', pathPattern: '/v1*' };

const gatesOf = (facts: Parameters<typeof explainRecord>[0]) =>
  explainRecord(facts).gates.map(({ gate, state, saw }) => `${gate} ${state}: ${saw}`);

describe('explainRecord', () => {
  it.each([
    ...DENIAL_REASONS.map((reason) => [reason, reason, null] as const),
    ['scope', 'policy_no_match', 'scope'],
    ['scope', 'policy_no_match', 'plan_scope'],
    ['customer', 'inactive_subscription', 'customer_suspended'],
    ['customer', 'inactive_subscription', 'customer_period_ended'],
  ] as const)('ends the line of gates at %s, for %s (%s), and at no other', (...stop) => {
    const [gate, outcome, denialDetail] = stop;
    const { denialReason, gates } = explainRecord({
      projectId,
      decision: { ...decision, outcome, denialDetail },
      apiKey,
      customer,
      policy,
    });
    expect(denialReason).toBe(outcome);
    expect(gates.map((one) => one.gate)).toEqual(Object.keys(GATE_NAMES));
    const stoppedAt = gates.findIndex((one) => one.gate === gate);
    gates.forEach(({ state }, index) => {
      if (index < stoppedAt) expect(state).toBe('passed');
      else if (index === stoppedAt) expect(state).toMatch(/^(denied|limited)$/);
      else expect(state).toBe('not_reached');
    });
  });

  it('says that a call came by the old secret of its key', () => {
    const facts = { projectId, apiKey, customer, policy };
    const old = { ...decision, byPreviousSecret: true };
    expect(gatesOf({ decision: old, ...facts })).toContain(
      'invalid_api_key passed: Mobile app, by its old secret',
    );
  });

  it('passes every gate of an allow, with the values of the record', () => {
    expect(explainRecord({ projectId, decision, apiKey, customer, policy })).toMatchObject({
      denialReason: null,
      apiKey,
      method: 'GET',
      path: '/v1/reports',
    });
    const gates = gatesOf({ projectId, decision, apiKey, customer, policy });
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
    expect(gatesOf({ projectId, decision: refused, apiKey, customer, policy })).toContain(gate);
  });

  it.each([
    [
      'day',
      500,
      'quota_exceeded limited: 40 of 100 used today: the limit of the customer, 500 per day',
    ],
    [
      'month',
      9_000,
      'quota_exceeded limited: 750 of 1,000 used: the limit of the customer, 9,000 per month',
    ],
  ] as const)('says which limit of a %s refused, which the counters may not show', (...limit) => {
    const [limitWindow, limitValue, gate] = limit;
    const limits = { ...decision.limits, dailyQuota: 100, remainingToday: 60 } as Limits;
    const refused = {
      ...decision,
      outcome: 'quota_exceeded',
      limits,
      limitOwner: 'customer',
      limitWindow,
      limitValue,
    } as const;
    expect(gatesOf({ projectId, decision: refused, apiKey, customer, policy })).toContain(gate);
  });

  it('names the customer that the key had', () => {
    const acme = { externalId: 'acme-1', name: 'Acme' };
    const of = { ...decision, customerId: 'c1' };
    const gates = (facts: Partial<RecordedFacts>) =>
      gatesOf({ projectId, decision: of, apiKey, customer: acme, policy, ...facts });
    expect(gates({})).toContain('customer passed: Acme');
    expect(gates({ customer: { ...acme, name: '' } })).toContain('customer passed: acme-1');
    expect(gates({ customer: undefined })).toContain('customer passed: c1');
    expect(gates({ decision })).toContain('customer passed: the key had none');
  });

  it('names the prefix of an unknown key', () => {
    const unknown = {
      ...decision,
      outcome: 'invalid_api_key',
      apiKeyId: null,
      keyPrefix: 'ceiba_Unknown0',
    } as const;
    const facts = { projectId, apiKey: undefined, customer, policy: undefined };
    expect(gatesOf({ decision: unknown, ...facts })).toContain(
      'invalid_api_key denied: ceiba_Unknown0…, no key of this project',
    );
    expect(gatesOf({ decision: { ...unknown, keyPrefix: null }, ...facts })).toContain(
      'invalid_api_key denied: not a well-formed key',
    );
  });

  it('says that a policy was deleted since', () => {
    expect(gatesOf({ projectId, decision, apiKey, customer, policy: undefined })).toContain(
      'policy_no_match passed: a policy that was deleted since',
    );
  });

  it.each([
    ['expired_api_key', 'disabled', 'disabled'],
    ['expired_api_key', null, 'expired or disabled'],
    ['inactive_subscription', 'period_ended', 'its period had ended'],
    ['inactive_subscription', null, 'not active'],
    ['inactive_subscription', 'customer_suspended', 'the customer was suspended', 'customer'],
    ['policy_no_match', 'scope', 'the key lacks its labels', 'scope'],
  ] as const)(
    'says which state denied as %s: %s',
    (outcome, denialDetail, words, gate?: string) => {
      const denied = { ...decision, outcome, denialDetail };
      expect(gatesOf({ projectId, decision: denied, apiKey, customer, policy })).toContain(
        `${gate ?? outcome} denied: ${words}`,
      );
    },
  );

  it.each([
    ['expired_api_key', `/projects/p1/audit?q=${decision.apiKeyId}`],
    ['inactive_subscription', '/projects/p1/audit?kind=subscription'],
    ['revoked_api_key', undefined],
    ['policy_no_match', `/projects/p1/audit?q=${decision.apiKeyId}`, 'scope'],
    ['policy_no_match', '/projects/p1/audit?kind=customer_plan', 'plan_scope'],
    ['inactive_subscription', '/projects/p1/audit?q=c1', 'customer_suspended'],
  ] as const)('leads from %s to the changes that say more: %s', (outcome, href, detail?) => {
    const { gates } = explainRecord({
      projectId,
      decision: { ...decision, outcome, customerId: 'c1', denialDetail: detail ?? null },
      apiKey,
      customer,
      policy,
    });
    const remedies = gates.flatMap(({ remedy }) => remedy?.href ?? []);
    expect(remedies).toEqual(href === undefined ? [] : [href]);
  });
});
