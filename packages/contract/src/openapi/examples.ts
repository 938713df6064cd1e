/** The examples of the document. Every one of them has the shape that it is an example of. */

const ID = {
  project: '7b0e3c52-6d0f-4d8e-9a57-0c6f1f7a2b11',
  customer: '0199e0c0-0000-7000-8000-000000009001',
  apiKey: '0199e0c0-0000-7000-8000-00000000a001',
  policy: '0199e0c0-0000-7000-8000-00000000b001',
  plan: '0199e0c0-0000-7000-8000-00000000c001',
  decision: '0199e0c0-0000-7000-8000-00000000d001',
  request: '0199e0c0-0000-7000-8000-00000000e001',
};
const AT = '2026-11-22T23:10:04.117Z';

const limits = {
  rateLimitPerMinute: 60,
  monthlyQuota: 10_000,
  remainingThisMinute: 59,
  remainingThisMonth: 9_999,
};
const apiKey = {
  apiKeyId: ID.apiKey,
  displayName: 'Mobile app',
  keyPrefix: 'ceiba_a3QtUwNA',
  status: 'active',
  createdAt: AT,
  expiresAt: null,
  revokedAt: null,
  archivedAt: null,
  lastUsedAt: AT,
};
const customer = {
  customerId: ID.customer,
  externalId: 'acme',
  name: 'Acme',
  metadata: { tier: 'gold' },
  suspendedAt: null,
  plan: { planId: ID.plan, name: 'Gold' },
  subscriptionStatus: 'active',
  currentPeriodEnd: null,
  billingDay: 15,
  rateLimitPerMinute: null,
  dailyQuota: null,
  monthlyQuota: 50_000,
  createdAt: AT,
};
const usage = {
  from: '2026-11-22T00:00:00.000Z',
  to: '2026-11-23T00:00:00.000Z',
  step: 'day',
  usage: [{ from: '2026-11-22T00:00:00.000Z', allowed: 120, denied: 3, cost: 480 }],
};
const denial = { allowed: false, decisionId: ID.decision, denialReason: 'policy_no_match' };
const allow = {
  allowed: true,
  decisionId: ID.decision,
  access: {
    projectId: ID.project,
    apiKey: { apiKeyId: ID.apiKey, displayName: 'Mobile app', keyPrefix: 'ceiba_a3QtUwNA' },
    policy: { policyId: ID.policy, method: 'GET', pathPattern: '/v1/reports*' },
    plan: { planId: ID.plan, name: 'Pro' },
  },
  limits,
  resetAfterSeconds: { minute: 42, month: 864_822 },
};
const question = { apiKey: 'ceiba_…', method: 'GET', path: '/v1/reports/42' };
const logged = {
  decisionId: ID.decision,
  at: AT,
  requestId: ID.request,
  method: 'GET',
  path: '/v1/billing',
  allowed: false,
  denialReason: 'policy_no_match',
  denialDetail: null,
  apiKeyId: ID.apiKey,
  customerId: null,
  keyPrefix: 'ceiba_a3QtUwNA',
  byPreviousSecret: false,
  policyId: null,
  limits: null,
  exceededLimit: null,
  latencyMs: 3,
};

export const EXAMPLES = {
  question,
  batch: { requests: [question, { ...question, apiKey: null }] },
  allow,
  denial,
  limited: {
    ...denial,
    denialReason: 'rate_limited',
    limits: { ...limits, remainingThisMinute: 0 },
    retryAfterSeconds: 42,
  },
  results: {
    results: [
      { status: 200, decision: allow },
      { status: 400, error: 'invalid_request', message: '"requests.1.method" is required.' },
    ],
  },
  apiKey,
  apiKeys: { apiKeys: [apiKey] },
  customer,
  customers: { customers: [customer], nextCursor: null },
  usage,
  customerUsage: {
    ...usage,
    period: {
      from: '2026-11-15T00:00:00.000Z',
      to: '2026-12-15T00:00:00.000Z',
      cost: 3_140,
      dailyCost: 480,
    },
  },
  created: {
    apiKeyId: ID.apiKey,
    displayName: 'Mobile app',
    keyPrefix: 'ceiba_a3QtUwNA',
    plaintextKey: 'ceiba_…',
  },
  createdSeveral: {
    results: [
      {
        status: 200,
        apiKey: {
          apiKeyId: ID.apiKey,
          displayName: 'Mobile app',
          keyPrefix: 'ceiba_a3QtUwNA',
          plaintextKey: 'ceiba_…',
        },
      },
      {
        status: 400,
        error: 'invalid_request',
        message: '"apiKeys.1.displayName" must not be empty.',
      },
    ],
  },
  toImport: {
    digest: 'jZae727K08KaOmKSgOaGzww_XVqGr_PKEgIMkjrcbJI',
    encoding: 'base64url',
    displayName: 'Mobile app',
    keyPrefix: 'sk_a3Qt',
  },
  imported: { results: [{ status: 200, apiKeyId: ID.apiKey }] },
  rotated: {
    apiKeyId: ID.apiKey,
    keyPrefix: 'ceiba_9LmZqRtX',
    plaintextKey: 'ceiba_…',
    previous: { keyPrefix: 'ceiba_a3QtUwNA', validUntil: '2026-11-23T23:10:04.117Z' },
  },
  revoked: { apiKeyId: ID.apiKey, status: 'revoked' },
  archived: { apiKeyId: ID.apiKey, status: 'archived' },
  logged,
  decisions: { decisions: [logged], nextCursor: null },
  healthy: { ok: true },
  ready: { ok: true, checks: { database: 'ok', redis: 'ok' } },
  notReady: { ok: false, checks: { database: 'ok', redis: 'unavailable' } },
  version: { sha: '4f2a9c1', schema: '20261123040910_key_states' },
} as const;

/** The example of an error of the Runtime. */
export const errorExample = (error: string, message: string) => ({
  error,
  message,
  requestId: ID.request,
});
