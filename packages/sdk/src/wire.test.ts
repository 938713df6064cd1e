import { API_KEY_STATUSES } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import {
  parseApiKeyCreateResult,
  parseApiKeyLifecycleResult,
  parseApiKeyListResult,
  parseApiKeySummary,
  parseCustomer,
  parseCustomerListResult,
  parseCustomerUsageResult,
  parseDecision,
  parseUsageResult,
} from './generated/wire.ts';
import { allowDecision, denyDecision } from './testing.ts';

const AT = '2026-11-22T00:00:00.000Z';
const NAMED = { apiKeyId: 'id', displayName: 'name', keyPrefix: 'ceiba_12345678' };
const SUMMARY = {
  ...NAMED,
  status: 'active',
  createdAt: AT,
  expiresAt: AT,
  revokedAt: AT,
  archivedAt: AT,
  lastUsedAt: AT,
};
const ALLOW = allowDecision();
const DENY = denyDecision('rate_limited');

const RICH = {
  ...SUMMARY,
  customer: { customerId: 'c', externalId: 'acme' },
  scopes: ['read'],
  rateLimitPerMinute: 1,
  dailyQuota: 2,
  monthlyQuota: 3,
};
const CUSTOMER_BODY = {
  customerId: 'c',
  externalId: 'acme',
  name: 'Acme',
  metadata: {},
  suspendedAt: AT,
  plan: { planId: 'p', name: 'Gold' },
  subscriptionStatus: 'active',
  currentPeriodEnd: AT,
  billingDay: 15,
  rateLimitPerMinute: 1,
  dailyQuota: 2,
  monthlyQuota: 3,
  createdAt: AT,
};
const USAGE = {
  from: AT,
  to: AT,
  step: 'day',
  usage: [{ from: AT, allowed: 1, denied: 2, cost: 3 }],
};
const CUSTOMER = { customerId: 'c', externalId: 'acme', plan: { planId: 'p', name: 'Gold' } };
const OF_CUSTOMER = {
  ...ALLOW,
  access: {
    ...ALLOW.access,
    apiKey: { ...ALLOW.access.apiKey, scopes: ['read'] },
    customer: CUSTOMER,
  },
  limits: { ...ALLOW.limits, dailyQuota: 9, remainingToday: 3 },
};

/** A whole answer of each kind, with its parser. */
const ANSWERS: Record<string, [parse: (body: unknown) => unknown, answer: object]> = {
  'a key': [parseApiKeySummary, SUMMARY],
  'a list of keys': [parseApiKeyListResult, { apiKeys: [SUMMARY, { ...SUMMARY, apiKeyId: 'x' }] }],
  'the answer to a create': [parseApiKeyCreateResult, { ...NAMED, plaintextKey: 'ceiba_plain' }],
  'the answer to a revoke': [parseApiKeyLifecycleResult, { apiKeyId: 'id', status: 'revoked' }],
  'a key with all that may be set': [parseApiKeySummary, RICH],
  'a customer': [parseCustomer, CUSTOMER_BODY],
  'a page of customers': [parseCustomerListResult, { customers: [CUSTOMER_BODY], nextCursor: 'n' }],
  'the usage of a key': [parseUsageResult, USAGE],
  'the usage of a customer': [
    parseCustomerUsageResult,
    { ...USAGE, period: { from: AT, to: AT, cost: 7, dailyCost: 6 } },
  ],
  'an allow': [parseDecision, ALLOW],
  'an allow of a restricted key of a customer': [parseDecision, OF_CUSTOMER],
};
/** What an answer is valid without. */
const DISPENSABLE = /^resetAfterSeconds/;
const NULLABLE =
  /(?:(?:expires|revoked|archived|lastUsed|suspended)At|plan|subscriptionStatus|currentPeriodEnd|nextCursor)$/;
/** What a customer may not have; an own limit of a key is absent instead. */
const NULLABLE_OF_CUSTOMER = /^(?:customers\.0\.)?(?:rateLimitPerMinute|dailyQuota|monthlyQuota)$/;
/** An answer is valid without it, and not with an invalid one. */
const OPTIONAL =
  /(?:^|\.)(?:scopes|customer|rateLimitPerMinute|dailyQuota|monthlyQuota|remainingToday)$/;

/** Those that every decision names. */
const NEEDED_LIMITS = /^limits\.(?:rateLimitPerMinute|monthlyQuota)$/;

/** Every path to a field of the value, such as `access.plan.name`. */
function fieldPaths(value: object, prefix: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, field]) => {
    const path = [...prefix, name];
    return typeof field === 'object' && field !== null
      ? [path, ...fieldPaths(field, path)]
      : [path];
  });
}

/** A copy whose field has another value; undefined removes it, as JSON does. */
function withField(answer: object, path: string, value: unknown): unknown {
  const copy = structuredClone(answer) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let parent = copy;
  for (const name of names) parent = parent[name] as Record<string, unknown>;
  parent[last] = value;
  return JSON.parse(JSON.stringify(copy));
}

describe.each(Object.entries(ANSWERS))('%s', (name, [parse, answer]) => {
  const needed = fieldPaths(answer)
    .map((path) => path.join('.'))
    .filter((path) => !DISPENSABLE.test(path));

  it('is parsed field by field, and further fields are dropped', () => {
    const later = withField(answer, 'region', 'eu');
    expect(parse(later)).toEqual(answer);
  });

  it.each(needed)('is refused without %s, and with an invalid one', (path) => {
    const others = path === 'allowed' ? ['true', 1, [true]] : [-1, 1.5, true];
    const isOfCustomer = /customer/.test(name) && NULLABLE_OF_CUSTOMER.test(path);
    const mayBeNull = isOfCustomer || (NULLABLE.test(path) && path !== 'access.plan');
    const mayBeAbsent = !isOfCustomer && OPTIONAL.test(path) && !NEEDED_LIMITS.test(path);
    const invalid = [
      ...(mayBeAbsent ? [] : [undefined]),
      ...(/^(?:customers\.0\.)?name$/.test(path) ? [] : ['']),
      ...(/metadata$/.test(path) ? [] : [{}]),
      [7],
      ...(mayBeNull ? [] : [null]),
      ...others,
    ];
    for (const value of invalid) {
      expect(parse(withField(answer, path, value)), JSON.stringify(value)).toBeUndefined();
    }
  });

  it.each([null, undefined, 'text', 7, true, [answer], {}])('is refused if it is %j', (body) => {
    expect(parse(body)).toBeUndefined();
  });
});

describe('a key', () => {
  it('has every status of the contract, no other, and times that may be null', () => {
    for (const status of API_KEY_STATUSES) {
      expect(parseApiKeySummary({ ...SUMMARY, status })?.status).toBe(status);
    }
    expect(parseApiKeySummary({ ...SUMMARY, status: 'paused' })).toBeUndefined();
    const used = { ...SUMMARY, expiresAt: null, revokedAt: null, lastUsedAt: null };
    expect(parseApiKeySummary(used)).toEqual(used);
    const lifecycle = { apiKeyId: 'id', status: 'active' };
    expect(parseApiKeyLifecycleResult(lifecycle)).toBeUndefined();
    expect(parseApiKeyListResult({ apiKeys: [] })).toEqual({ apiKeys: [] });
  });
});

describe('a denial', () => {
  it('is parsed, also for a reason that this version does not know', () => {
    expect(parseDecision({ ...DENY, region: 'eu' })).toEqual(DENY);
    const later = { ...DENY, denialReason: 'suspended_api_key' };
    expect(parseDecision(later)).toEqual(later);
  });

  it('is one without its id, its limits or the time to wait, and none without a reason', () => {
    const { decisionId, denialReason, limits, retryAfterSeconds, exceededLimit, ...rest } = DENY;
    const bare = { ...rest, denialReason };
    for (const invalid of [undefined, null, 'later', -1]) {
      const body = { ...bare, limits: invalid, retryAfterSeconds: invalid, exceededLimit: invalid };
      expect(parseDecision(body)).toEqual({ ...bare, decisionId: null });
    }
    for (const reason of [undefined, null, 42, '']) {
      expect(parseDecision({ ...DENY, denialReason: reason })).toBeUndefined();
    }
  });
});

describe('an allow', () => {
  it('is one without valid reset times, which only headers need', () => {
    const { resetAfterSeconds: _, ...rest } = ALLOW;
    for (const resetAfterSeconds of [undefined, null, 'soon', { minute: -1, month: 1 }]) {
      expect(parseDecision({ ...ALLOW, resetAfterSeconds })).toEqual(rest);
    }
  });

  it('is one without a customer, scopes and a daily quota, of a customer without a plan, and of a key that may call nothing', () => {
    expect(parseDecision(ALLOW)).not.toHaveProperty('access.customer');
    const access = {
      ...OF_CUSTOMER.access,
      apiKey: { ...OF_CUSTOMER.access.apiKey, scopes: [] },
      customer: { ...CUSTOMER, plan: null },
    };
    expect(parseDecision({ ...OF_CUSTOMER, access })).toEqual({ ...OF_CUSTOMER, access });
  });

  it('is not made of a field named __proto__', () => {
    expect(parseDecision(JSON.parse(`{"__proto__":${JSON.stringify(ALLOW)}}`))).toBeUndefined();
  });
});
