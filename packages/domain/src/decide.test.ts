import { decisionSchema } from '@ceiba/contract';
import {
  API_KEY_STATUSES,
  DENIAL_REASONS,
  type DenialReason,
  LIMIT_DENIALS,
  type LimitDenial,
} from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { type Charge, conclude, denied } from './charge.ts';
import { decide, type LiveCall } from './decide.ts';
import type {
  ApiKeyFacts,
  CustomerFacts,
  CustomerPlanFacts,
  PolicyFacts,
  Snapshot,
} from './facts.ts';
import type { Labels } from './labels.ts';
import { CALENDAR_MONTH, DAY, NO_LIMITS } from './limits.ts';

const DECISION_ID = '01960000-0000-7000-8000-000000000001';
const API_KEY: ApiKeyFacts = {
  apiKeyId: '01960000-0000-7000-8000-000000000002',
  displayName: 'Mobile app',
  keyPrefix: 'ceiba_AAAAAAAA',
  status: 'active',
  expired: false,
  disabled: false,
  scopes: null,
  ...NO_LIMITS,
};
const PLAN = {
  planId: '01960000-0000-7000-8000-000000000003',
  name: 'Pro',
  rateLimitPerMinute: 1200,
  dailyQuota: null,
  monthlyQuota: 1_000_000,
};
const SNAPSHOT: Snapshot = {
  projectId: '01960000-0000-7000-8000-000000000004',
  defaultKeyRateLimitPerMinute: null,
  credential: 'presented',
  apiKey: API_KEY,
  policy: {
    policyId: '01960000-0000-7000-8000-000000000005',
    method: 'GET',
    pathPattern: '/v1/reports*',
    scopes: null,
    cost: 1,
  },
  otherPolicies: [],
  customer: null,
  subscription: { status: 'active', admits: true, plan: PLAN },
};
const ADMITTED: Extract<Charge, { kind: 'allowed' }> = {
  kind: 'allowed',
  limits: {
    rateLimitPerMinute: 1200,
    monthlyQuota: 1_000_000,
    remainingThisMinute: 1199,
    remainingThisMonth: 999_999,
  },
  resetAfterSeconds: { minute: 12, month: 86_400 },
};

/** Makes one gate fail in a snapshot, or one limit in a charge. */
const FAILURES: Record<DenialReason, (snapshot: Snapshot) => Snapshot> = {
  missing_api_key: (snapshot) => ({ ...snapshot, credential: 'missing' }),
  invalid_api_key: (snapshot) => ({ ...snapshot, apiKey: null }),
  revoked_api_key: (snapshot) => withApiKey(snapshot, { status: 'revoked' }),
  archived_api_key: (snapshot) => withApiKey(snapshot, { status: 'archived' }),
  expired_api_key: (snapshot) => withApiKey(snapshot, { expired: true }),
  policy_no_match: (snapshot) => ({ ...snapshot, policy: null }),
  inactive_subscription: (snapshot) => ({
    ...snapshot,
    subscription: { status: 'canceled', admits: false, plan: PLAN },
  }),
  quota_exceeded: (snapshot) => snapshot,
  rate_limited: (snapshot) => snapshot,
};

function withApiKey(snapshot: Snapshot, facts: Partial<ApiKeyFacts>): Snapshot {
  return { ...snapshot, apiKey: snapshot.apiKey && { ...snapshot.apiKey, ...facts } };
}

/** Every set of failing gates. A key has one status, so revoked and archived never fail together. */
function limited(denialReason: LimitDenial, retryAfterSeconds: number) {
  const { limits } = ADMITTED;
  const exceeded = { owner: 'plan', window: 'minute', value: 1 } as const;
  return { kind: 'denied', denialReason, limits, retryAfterSeconds, exceeded } as const;
}

function combinations(): DenialReason[][] {
  return Array.from({ length: 2 ** DENIAL_REASONS.length }, (_, mask) =>
    DENIAL_REASONS.filter((_reason, bit) => mask & (1 << bit)),
  ).filter(
    (failing) => !(failing.includes('revoked_api_key') && failing.includes('archived_api_key')),
  );
}

function outcomeOf(failing: readonly DenialReason[]): DenialReason | 'allowed' {
  // A missing key is judged before the rest of a key, so null must not undo a later change.
  const snapshot = failing.reduceRight((built, reason) => FAILURES[reason](built), SNAPSHOT);
  const judgement = decide(snapshot);
  if (judgement.kind === 'deny') return judgement.denialReason;
  const refusal = LIMIT_DENIALS.find((r) => failing.includes(r));
  const decision = conclude(DECISION_ID, judgement.call, refusal ? limited(refusal, 1) : ADMITTED);
  return decision.allowed ? 'allowed' : decision.denialReason;
}

function liveCallOf(snapshot: Snapshot): LiveCall {
  const judgement = decide(snapshot);
  if (judgement.kind === 'deny') throw new Error(`denied: ${judgement.denialReason}`);
  return judgement.call;
}

describe('decide', () => {
  it.each([
    ['revoked', 'revoked_api_key'],
    ['archived', 'archived_api_key'],
    ['active', 'expired_api_key'],
  ] as const)('denies a disabled key with the status %s as %s', (status, denialReason) => {
    const snapshot = withApiKey({ ...SNAPSHOT, policy: null }, { status, disabled: true });
    expect(decide(snapshot)).toMatchObject({ kind: 'deny', denialReason });
  });

  it('gives the first failing check in the order of the contract, for all combinations', () => {
    const all = combinations();
    expect(all).toHaveLength(2 ** 9 - 2 ** 7);
    for (const failing of all) expect(outcomeOf(failing)).toBe(failing[0] ?? 'allowed');
  });

  it('denies by default: no policy and no subscription are denials', () => {
    expect(decide({ ...SNAPSHOT, policy: null })).toEqual({
      kind: 'deny',
      denialReason: 'policy_no_match',
      denialDetail: null,
    });
    expect(decide({ ...SNAPSHOT, subscription: null })).toEqual({
      kind: 'deny',
      denialReason: 'inactive_subscription',
      denialDetail: 'no_subscription',
    });
  });

  it.each([
    [{ expired: true, disabled: false }, 'expired'],
    [{ expired: true, disabled: true }, 'expired'],
    [{ expired: false, disabled: true }, 'disabled'],
  ])('says which state of the key denied: %j', (facts, denialDetail) => {
    expect(decide(withApiKey(SNAPSHOT, facts))).toMatchObject({ denialDetail });
  });

  it.each([
    ['past_due', 'past_due'],
    ['canceled', 'canceled'],
    ['active', 'period_ended'],
    ['trialing', 'period_ended'],
  ] as const)(
    'says of a subscription that is %s and does not admit: %s',
    (status, denialDetail) => {
      const subscription = { status, admits: false, plan: PLAN };
      expect(decide({ ...SNAPSHOT, subscription })).toMatchObject({ denialDetail });
    },
  );

  it('charges only an active key', () => {
    const reaching = API_KEY_STATUSES.filter(
      (status) => decide(withApiKey(SNAPSHOT, { status })).kind === 'charge',
    );
    expect(reaching).toEqual(['active']);
  });

  it('is the only builder of a live call: a look-alike does not compile', () => {
    const { projectId, policy } = SNAPSHOT;
    const rest = { customer: null, policy: policy!, plan: PLAN, scopes: [] };
    const lookAlike = { projectId, apiKey: API_KEY, ...rest };
    // @ts-expect-error the brand is missing
    const call: LiveCall = lookAlike;
    expect(call).toBeDefined();
  });
});

const CUSTOMER: CustomerFacts = {
  customerId: '01960000-0000-7000-8000-000000000006',
  externalId: 'acme',
  suspended: false,
  billingDay: 15,
  ...NO_LIMITS,
  plan: {
    planId: '01960000-0000-7000-8000-000000000007',
    name: 'Team',
    status: 'active',
    admits: true,
    scopes: null,
    ...NO_LIMITS,
  },
};
const withCustomer = (facts: Partial<CustomerFacts>): Snapshot => ({
  ...SNAPSHOT,
  customer: { ...CUSTOMER, ...facts },
});
const onPlan = (facts: Partial<CustomerPlanFacts>) =>
  withCustomer({ plan: CUSTOMER.plan && { ...CUSTOMER.plan, ...facts } });

describe('a customer', () => {
  it('without a plan only groups keys: nothing but its suspension denies', () => {
    expect(decide(withCustomer({ plan: null })).kind).toBe('charge');
    expect(decide(withCustomer({ plan: null, suspended: true }))).toEqual({
      kind: 'deny',
      denialReason: 'inactive_subscription',
      denialDetail: 'customer_suspended',
    });
  });

  it.each([
    ['active', 'customer_period_ended'],
    ['trialing', 'customer_period_ended'],
    ['past_due', 'customer_past_due'],
    ['canceled', 'customer_canceled'],
  ] as const)('whose plan is %s and does not admit is denied as %s', (status, denialDetail) => {
    expect(decide(onPlan({ status, admits: false }))).toEqual({
      kind: 'deny',
      denialReason: 'inactive_subscription',
      denialDetail,
    });
  });

  it("is judged after the project's own subscription, and suspension before its plan", () => {
    const lapsed = { status: 'past_due', admits: false } as const;
    const both = { ...onPlan(lapsed), subscription: { ...lapsed, plan: PLAN } };
    expect(decide(both)).toMatchObject({ denialDetail: 'past_due' });
    const suspended = { ...withCustomer({ ...onPlan(lapsed).customer, suspended: true }) };
    expect(decide(suspended)).toMatchObject({ denialDetail: 'customer_suspended' });
  });

  it('is charged between the project and the key, months before days', () => {
    const limited = { rateLimitPerMinute: null, dailyQuota: 7, monthlyQuota: 70 };
    const snapshot = withCustomer({
      dailyQuota: 5,
      plan: CUSTOMER.plan && { ...CUSTOMER.plan, ...limited, rateLimitPerMinute: 9 },
    });
    const apiKey = { ...API_KEY, dailyQuota: 3 };
    const subscription = {
      status: 'active',
      admits: true,
      plan: { ...PLAN, dailyQuota: 11 },
    } as const;
    const { scopes } = liveCallOf({ ...snapshot, apiKey, subscription });
    expect(
      scopes.map(({ kind, period, rate, quota }) => [kind, period, rate?.value, quota?.value]),
    ).toEqual([
      ['project', CALENDAR_MONTH, 1200, 1_000_000],
      ['customer', 15, 9, 70],
      ['api_key', CALENDAR_MONTH, undefined, undefined],
      ['project', DAY, undefined, 11],
      ['customer', DAY, undefined, 5],
      ['api_key', DAY, undefined, 3],
    ]);
    expect(scopes[1]?.quota?.owner).toBe('customer_plan');
    expect(scopes[4]?.quota).toEqual({ owner: 'customer', window: 'day', value: 5 });
  });

  it('is named in an allow, with its plan or null', () => {
    const accessOf = (snapshot: Snapshot) => {
      const decision = conclude(DECISION_ID, liveCallOf(snapshot), ADMITTED);
      expect(decisionSchema.parse(decision)).toEqual(decision);
      return decision.allowed ? decision.access.customer : undefined;
    };
    const { customerId, externalId } = CUSTOMER;
    const plan = { planId: CUSTOMER.plan?.planId, name: 'Team' };
    expect(accessOf(withCustomer({}))).toEqual({ customerId, externalId, plan });
    expect(accessOf(withCustomer({ plan: null }))).toEqual({ customerId, externalId, plan: null });
    expect(accessOf(SNAPSHOT)).toBeUndefined();
  });
});

describe('labels', () => {
  const LISTS = [null, [], ['a'], ['b'], ['a', 'b'], ['c']] as const;

  it('open a policy to a key and a plan that both have no list or one of its labels, and only then', () => {
    const mayCall = (labels: readonly string[] | null, policy: readonly string[] | null) =>
      labels === null || labels.filter((label) => policy?.includes(label)).length > 0;
    for (const ofPolicy of LISTS) {
      for (const ofKey of LISTS) {
        for (const ofPlan of LISTS) {
          const judgement = decide({
            ...onPlan({ scopes: ofPlan }),
            apiKey: { ...API_KEY, scopes: ofKey },
            policy: SNAPSHOT.policy && { ...SNAPSHOT.policy, scopes: ofPolicy },
          });
          const denial = (denialDetail: string) => ({
            kind: 'deny',
            denialReason: 'policy_no_match',
            denialDetail,
          });
          if (!mayCall(ofKey, ofPolicy)) expect(judgement).toEqual(denial('scope'));
          else if (!mayCall(ofPlan, ofPolicy)) expect(judgement).toEqual(denial('plan_scope'));
          else expect(judgement.kind).toBe('charge');
        }
      }
    }
  });

  it('of other readings of the request have to open as well, to the key and to the plan', () => {
    const policy = SNAPSHOT.policy && { ...SNAPSHOT.policy, scopes: ['a'] };
    const other = (scopes: readonly string[]) => ({ ...SNAPSHOT.policy!, scopes });
    const judge = (ofKey: Labels, ofPlan: Labels, otherPolicies: PolicyFacts[]) =>
      decide({
        ...onPlan({ scopes: ofPlan }),
        apiKey: { ...API_KEY, scopes: ofKey },
        policy,
        otherPolicies,
      });
    const others = [other(['a', 'b']), other(['b'])];
    expect(judge(['a'], null, others)).toMatchObject({ denialDetail: 'scope' });
    expect(judge(['a', 'b'], ['a'], others)).toMatchObject({ denialDetail: 'plan_scope' });
    expect(judge(['a', 'b'], ['b', 'a'], others).kind).toBe('charge');
    expect(judge(null, null, others).kind).toBe('charge');
    expect(judge(['a'], null, [other(['a'])]).kind).toBe('charge');
  });

  it('are judged before any subscription', () => {
    const apiKey = { ...API_KEY, scopes: ['a'] };
    expect(decide({ ...SNAPSHOT, apiKey, subscription: null })).toMatchObject({
      denialReason: 'policy_no_match',
    });
  });
});

describe('what a live call costs', () => {
  it('is the cost of the dearest policy that the request may mean', () => {
    const of = (cost: number) => ({ ...SNAPSHOT.policy!, cost });
    const costOf = (policy: PolicyFacts, ...otherPolicies: PolicyFacts[]) =>
      liveCallOf({ ...SNAPSHOT, policy, otherPolicies }).cost;
    expect(costOf(of(0))).toBe(0);
    expect(costOf(of(7))).toBe(7);
    expect(costOf(of(1), of(0), of(100), of(2))).toBe(100);
    expect(costOf(of(5), of(2))).toBe(5);
  });
});

describe('the scopes that a live call is charged to', () => {
  it('are the project with its plan, and the key, which is counted even without a limit', () => {
    expect(liveCallOf(SNAPSHOT).scopes).toMatchObject([
      {
        kind: 'project',
        id: SNAPSHOT.projectId,
        rate: { owner: 'plan', window: 'minute', value: 1200 },
        quota: { owner: 'plan', window: 'month', value: 1_000_000 },
      },
      { kind: 'api_key', id: API_KEY.apiKeyId, rate: null, quota: null },
    ]);
  });

  it.each([
    { own: null, projectDefault: null, inForce: null },
    { own: null, projectDefault: 30, inForce: { owner: 'project_default', value: 30 } },
    { own: 5, projectDefault: 30, inForce: { owner: 'api_key', value: 5 } },
    { own: 50, projectDefault: 30, inForce: { owner: 'api_key', value: 50 } },
    { own: 0, projectDefault: 30, inForce: { owner: 'api_key', value: 0 } },
    { own: null, projectDefault: 0, inForce: { owner: 'project_default', value: 0 } },
  ])('limit a key of rate $own in a project of default $projectDefault: $inForce', (row) => {
    const snapshot = withApiKey(
      { ...SNAPSHOT, defaultKeyRateLimitPerMinute: row.projectDefault },
      { rateLimitPerMinute: row.own, monthlyQuota: 0 },
    );
    expect(liveCallOf(snapshot).scopes[1]).toMatchObject({
      rate: row.inForce,
      quota: { owner: 'api_key', value: 0 },
    });
  });
});

describe('conclude', () => {
  it('allows with the matched key, policy and plan, and nothing else', () => {
    const decision = conclude(DECISION_ID, liveCallOf(SNAPSHOT), ADMITTED);
    expect(decision).toEqual({
      allowed: true,
      decisionId: DECISION_ID,
      access: {
        projectId: SNAPSHOT.projectId,
        apiKey: {
          apiKeyId: API_KEY.apiKeyId,
          displayName: 'Mobile app',
          keyPrefix: 'ceiba_AAAAAAAA',
        },
        policy: {
          policyId: SNAPSHOT.policy?.policyId,
          method: 'GET',
          pathPattern: '/v1/reports*',
        },
        plan: { planId: PLAN.planId, name: 'Pro' },
      },
      limits: { ...ADMITTED.limits },
      resetAfterSeconds: { minute: 12, month: 86_400 },
    });
    expect(decisionSchema.parse(decision)).toEqual(decision);
  });

  it('leaks no extra column of a policy or plan into the response', () => {
    const policy = { ...SNAPSHOT.policy!, createdBy: 'someone' };
    const plan = { ...PLAN, stripeId: 'x' };
    const subscription = { status: 'active', admits: true, plan } as const;
    const decision = conclude(
      DECISION_ID,
      liveCallOf({ ...SNAPSHOT, policy, subscription }),
      ADMITTED,
    );
    expect(decisionSchema.safeParse(decision).success).toBe(true);
  });

  it.each(LIMIT_DENIALS)('denies %s with the wait in seconds', (denialReason) => {
    const charge = limited(denialReason, 12);
    const decision = conclude(DECISION_ID, liveCallOf(SNAPSHOT), charge);
    expect(decision).toEqual({
      allowed: false,
      decisionId: DECISION_ID,
      denialReason,
      limits: ADMITTED.limits,
      retryAfterSeconds: 12,
      exceededLimit: charge.exceeded,
    });
    expect(decisionSchema.parse(decision)).toEqual(decision);
  });
});

describe('denied', () => {
  it.each(DENIAL_REASONS)('builds the wire shape of %s', (denialReason) => {
    const decision = denied(DECISION_ID, denialReason);
    expect(decisionSchema.parse(decision)).toEqual({
      allowed: false,
      decisionId: DECISION_ID,
      denialReason,
    });
  });
});
