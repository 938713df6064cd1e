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
import { type ApiKeyFacts, decide, type LiveCall, type Snapshot } from './decide.ts';
import { eachLimit } from './limits.ts';

const DECISION_ID = '01960000-0000-7000-8000-000000000001';
const API_KEY: ApiKeyFacts = {
  apiKeyId: '01960000-0000-7000-8000-000000000002',
  displayName: 'Mobile app',
  keyPrefix: 'ceiba_AAAAAAAA',
  status: 'active',
  expired: false,
  disabled: false,
  ...eachLimit(() => null),
};
const PLAN = {
  planId: '01960000-0000-7000-8000-000000000003',
  name: 'Pro',
  ...eachLimit(() => 1_000_000),
  rateLimitPerMinute: 1200,
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
  },
  subscription: { admits: true, plan: PLAN },
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
    subscription: { admits: false, plan: PLAN },
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
    expect(decide(snapshot)).toEqual({ kind: 'deny', denialReason });
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
    });
    expect(decide({ ...SNAPSHOT, subscription: null })).toEqual({
      kind: 'deny',
      denialReason: 'inactive_subscription',
    });
  });

  it('charges only an active key', () => {
    const reaching = API_KEY_STATUSES.filter(
      (status) => decide(withApiKey(SNAPSHOT, { status })).kind === 'charge',
    );
    expect(reaching).toEqual(['active']);
  });

  it('is the only builder of a live call: a look-alike does not compile', () => {
    const { projectId, policy } = SNAPSHOT;
    const lookAlike = { projectId, apiKey: API_KEY, policy: policy!, plan: PLAN, scopes: [] };
    // @ts-expect-error the brand is missing
    const call: LiveCall = lookAlike;
    expect(call).toBeDefined();
  });
});

describe('the scopes that a live call is charged to', () => {
  it('are the project with its plan, and the key, which is counted even without a limit', () => {
    expect(liveCallOf(SNAPSHOT).scopes).toMatchObject([
      {
        kind: 'project',
        id: SNAPSHOT.projectId,
        limits: {
          minute: { owner: 'plan', window: 'minute', value: 1200 },
          month: { owner: 'plan', window: 'month', value: 1_000_000 },
        },
      },
      { kind: 'api_key', id: API_KEY.apiKeyId, limits: { minute: null, month: null } },
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
      limits: { minute: row.inForce, month: { owner: 'api_key', value: 0 } },
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
        policy: SNAPSHOT.policy,
        plan: { planId: PLAN.planId, name: 'Pro' },
      },
      limits: { ...ADMITTED.limits },
      resetAfterSeconds: { minute: 12, month: 86_400 },
    });
    expect(decisionSchema.parse(decision)).toEqual(decision);
  });

  it('leaks no extra column of a policy or plan into the response', () => {
    const policy = { ...SNAPSHOT.policy!, createdBy: 'someone' };
    const subscription = { admits: true, plan: { ...PLAN, stripeId: 'x' } };
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
