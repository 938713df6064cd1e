import { type Charge, digestOf, eachLimit } from '@ceiba/domain';
import { afterEach, expect, it, vi } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { Admission } from './admission.ts';
import type { Question } from './call.ts';
import type { Dependencies } from './dependencies.ts';
import { entranceOf } from './entrance-test-support.ts';
import { serve } from './serve.ts';

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
function dependenciesOf(charge: Dependencies['limiter']['charge']): Dependencies {
  const row = {
    project: {
      secretDigest: digestOf('secret'),
      previousSecretDigest: null,
      policyRevision: 'r',
      defaultKeyRateLimitPerMinute: null,
      loggedAllowsPercent: 1,
      isUnsampled: false,
      logsPaths: true,
    },
    subscription: {
      admits: true,
      status: 'active' as const,
      plan: { planId: 'plan', name: 'Pro', ...eachLimit(() => 10) },
    },
    apiKey: {
      apiKeyId: 'key',
      displayName: 'Mobile app',
      keyPrefix: 'ceiba_AAAAAAAA',
      status: 'active' as const,
      expired: false,
      disabled: false,
      byPreviousSecret: false,
      neverUsed: false,
      scopes: null,
      ...eachLimit(() => null),
    },
    customer: null,
  };
  const policy = {
    policyId: 'policy',
    method: 'GET' as const,
    pathPattern: '/*',
    scopes: null,
    cost: 1,
  };
  return {
    lookups: { find: async () => row },
    policies: { matcherFor: () => ({ match: () => policy, others: () => [] }) },
    limiter: { charge },
    usage: { countDenial() {}, countCost() {}, notePreviousUse() {}, notePreviousSecret() {} },
    decisionLog: { add() {} },
    firstUses: { record: async () => {} },
    errors: { reportUnclearRequest() {} },
    newDecisionId: () => 'decision',
    log: { debug() {} },
  };
}

const question = { apiKey: 'k', method: 'GET', path: '/' };

/** Asks these questions as a batch. */
function askAll(dependencies: Dependencies, questions: readonly Question[], deadline: Deadline) {
  const admission = new Admission({ maxDecisions: 8, deadlineMs: 1_000, now: () => 0 });
  return serve(
    { entrance: entranceOf(admission), dependencies },
    {
      kind: 'batch',
      projectId: PROJECT_ID,
      secret: 'secret',
      peer: 'a peer',
      userAgent: undefined,
      requestId: 'request-1',
      askedAtMs: 0,
      deadline,
      bodyBytes: 0,
      read: () => questions,
      tooSlow: 'overload',
      trace: null,
    },
  );
}

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
    await askAll(dependencies, [question], new Deadline(leftMs, () => 0));
    expect(given).toEqual([chargeMs]);
  },
);

afterEach(() => {
  vi.useRealTimers();
});

it('answers the other requests of a batch when the charge of one ends with the deadline', async () => {
  let charges = 0;
  const never = new Promise<Charge>(() => {});
  const dependencies = dependenciesOf(() => (charges++ === 1 ? never : Promise.resolve(ALLOWED)));
  vi.useFakeTimers();
  const asked = askAll(dependencies, [question, question, question], new Deadline(100));
  await vi.advanceTimersByTimeAsync(101);
  const answers = await asked;
  expect(answers.map((it) => (it instanceof Error ? it.name : it.allowed))).toEqual([
    true,
    'UnavailableError',
    true,
  ]);
});

it('counts what a call cost also where its first use cannot be written', async () => {
  const costs: unknown[] = [];
  const dependencies = dependenciesOf(async () => ALLOWED);
  const [row] = await Promise.all([dependencies.lookups.find({} as never, {} as never)]);
  Object.assign(row.apiKey ?? {}, { neverUsed: true });
  const answers = await askAll(
    {
      ...dependencies,
      usage: { ...dependencies.usage, countCost: (call) => void costs.push(call) },
      firstUses: { record: () => Promise.reject(new UnavailableError('database', 'away')) },
    },
    [{ ...question, cost: 5 }],
    new Deadline(500, () => 0),
  ).catch((error: unknown) => error);
  expect(answers).toMatchObject([{ name: 'UnavailableError' }]);
  expect(costs).toEqual([{ projectId: PROJECT_ID, apiKeyId: 'key', cost: 5 }]);
});
