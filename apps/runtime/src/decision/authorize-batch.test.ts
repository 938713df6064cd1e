import { type Charge, digestOf } from '@ceiba/domain';
import { expect, it } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import type { AuthorizeDependencies } from './authorize.ts';
import { authorizeBatch } from './authorize-batch.ts';

const PROJECT_ID = '0190a0b0-0000-7000-8000-000000000000';
const LIMITS = {
  rateLimitPerMinute: 10,
  monthlyQuota: 10,
  remainingThisMinute: 9,
  remainingThisMonth: 9,
};
const ALLOWED: Charge = {
  kind: 'allowed',
  limits: LIMITS,
  resetAfterSeconds: { minute: 1, month: 1 },
};

/** One project and one live key; the policies match every path. */
function dependenciesOf(charge: AuthorizeDependencies['limiter']['charge']): AuthorizeDependencies {
  const row = {
    project: {
      secretDigest: digestOf('secret'),
      previousSecretDigest: null,
      policyRevision: 'r',
      defaultKeyRateLimitPerMinute: null,
      loggedAllowsPercent: 1,
      logsPaths: true,
    },
    subscription: {
      admits: true,
      status: 'active' as const,
      plan: { planId: 'plan', name: 'Pro', rateLimitPerMinute: 10, monthlyQuota: 10 },
    },
    apiKey: {
      apiKeyId: 'key',
      displayName: 'Mobile app',
      keyPrefix: 'ceiba_AAAAAAAA',
      status: 'active' as const,
      expired: false,
      disabled: false,
      rateLimitPerMinute: null,
      monthlyQuota: null,
      neverUsed: false,
    },
  };
  const policy = { policyId: 'policy', method: 'GET' as const, pathPattern: '/*' };
  return {
    lookups: { find: async () => row },
    policies: { matcherFor: () => ({ match: () => policy }) },
    limiter: { charge },
    usage: { countDenial() {} },
    decisionLog: { add() {} },
    firstUses: { record: async () => {} },
    newDecisionId: () => 'decision',
    log: { debug() {} },
  };
}

const asker = {
  projectId: PROJECT_ID,
  secretDigest: digestOf('secret'),
  requestId: 'request-1',
  askedAtMs: 0,
};
const request = { apiKey: 'k', method: 'GET', path: '/' };

it.each([
  [500, 480],
  [16, 8],
])(
  'with %i ms left, gives each charge %i ms, so that a short deadline is enough',
  async (leftMs, chargeMs) => {
    const given: number[] = [];
    const dependencies = dependenciesOf(async (_, deadline) => {
      given.push(deadline.remainingMs());
      return ALLOWED;
    });
    await authorizeBatch(dependencies, asker, [request], new Deadline(leftMs, () => 0));
    expect(given).toEqual([chargeMs]);
  },
);

it('answers the other requests of a batch when the charge of one ends with the deadline', async () => {
  let charges = 0;
  const never = new Promise<Charge>(() => {});
  const dependencies = dependenciesOf(() => (charges++ === 1 ? never : Promise.resolve(ALLOWED)));
  const deadline = new Deadline(100);
  const answering = authorizeBatch(dependencies, asker, [request, request, request], deadline);
  // As the route does: at the deadline it gives up the batch as a whole.
  const answer = await deadline.race('overload', answering);
  const answers = answer.kind === 'answered' ? answer.answers : [];
  expect(answers.map((it) => (it instanceof UnavailableError ? 503 : it?.allowed))).toEqual([
    true,
    503,
    true,
  ]);
});
