/** What the Runtime answers. Written by generate.mjs from its OpenAPI document. */

import type { DenialReason } from '@ceiba/contract/sets';
import { count, fieldsOf, list, nullable, oneOf, text } from '../json.ts';

/*
 * Answers are parsed field by field, because a value that only resembles an allow must not become one
 * (docs/reference/consistency.md: fail closed). Unknown fields are ignored and dropped. A parser returns
 * undefined for a body of another shape.
 */

/** A key, without its plaintext. Times are ISO 8601. */
export interface ApiKeySummary {
  readonly apiKeyId: string;
  readonly displayName: string;
  /** The start of the key, for recognising it; safe to store and show. */
  readonly keyPrefix: string;
  /** An expired key stays `active`: each decision checks the expiry. */
  readonly status: 'active' | 'revoked' | 'archived';
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly archivedAt: string | null;
  /** Null until the first allowed request. */
  readonly lastUsedAt: string | null;
}

export function parseApiKeySummary(body: unknown): ApiKeySummary | undefined {
  const fields = fieldsOf(body);
  const apiKeyId = text(fields?.apiKeyId);
  const displayName = text(fields?.displayName);
  const keyPrefix = text(fields?.keyPrefix);
  const status = oneOf(fields?.status, 'active', 'revoked', 'archived');
  const createdAt = text(fields?.createdAt);
  const expiresAt = nullable(fields?.expiresAt, text);
  const revokedAt = nullable(fields?.revokedAt, text);
  const archivedAt = nullable(fields?.archivedAt, text);
  const lastUsedAt = nullable(fields?.lastUsedAt, text);
  if (
    apiKeyId === undefined ||
    displayName === undefined ||
    keyPrefix === undefined ||
    status === undefined ||
    createdAt === undefined ||
    expiresAt === undefined ||
    revokedAt === undefined ||
    archivedAt === undefined ||
    lastUsedAt === undefined
  ) {
    return undefined;
  }
  return {
    apiKeyId, displayName, keyPrefix, status, createdAt, expiresAt, revokedAt, archivedAt, lastUsedAt,
  };
}

/** All keys of the project, newest first, revoked and archived ones too. */
export interface ApiKeyListResult {
  readonly apiKeys: ApiKeySummary[];
}

export function parseApiKeyListResult(body: unknown): ApiKeyListResult | undefined {
  const fields = fieldsOf(body);
  const apiKeys = list(fields?.apiKeys, parseApiKeySummary);
  if (
    apiKeys === undefined
  ) {
    return undefined;
  }
  return {
    apiKeys,
  };
}

/** A new key: the only answer with its plaintext, which cannot be retrieved again. */
export interface ApiKeyCreateResult {
  readonly apiKeyId: string;
  readonly displayName: string;
  readonly keyPrefix: string;
  readonly plaintextKey: string;
}

export function parseApiKeyCreateResult(body: unknown): ApiKeyCreateResult | undefined {
  const fields = fieldsOf(body);
  const apiKeyId = text(fields?.apiKeyId);
  const displayName = text(fields?.displayName);
  const keyPrefix = text(fields?.keyPrefix);
  const plaintextKey = text(fields?.plaintextKey);
  if (
    apiKeyId === undefined ||
    displayName === undefined ||
    keyPrefix === undefined ||
    plaintextKey === undefined
  ) {
    return undefined;
  }
  return {
    apiKeyId, displayName, keyPrefix, plaintextKey,
  };
}

/** The status that a key has after revoke and archive. */
export interface ApiKeyLifecycleResult {
  readonly apiKeyId: string;
  readonly status: 'revoked' | 'archived';
}

export function parseApiKeyLifecycleResult(body: unknown): ApiKeyLifecycleResult | undefined {
  const fields = fieldsOf(body);
  const apiKeyId = text(fields?.apiKeyId);
  const status = oneOf(fields?.status, 'revoked', 'archived');
  if (
    apiKeyId === undefined ||
    status === undefined
  ) {
    return undefined;
  }
  return {
    apiKeyId, status,
  };
}

/** The key of the caller. */
export interface MatchedApiKey {
  readonly apiKeyId: string;
  readonly displayName: string;
  readonly keyPrefix: string;
  /** Only of a restricted key: the labels that it has. */
  readonly scopes?: string[] | undefined;
}

export function parseMatchedApiKey(body: unknown): MatchedApiKey | undefined {
  const fields = fieldsOf(body);
  const apiKeyId = text(fields?.apiKeyId);
  const displayName = text(fields?.displayName);
  const keyPrefix = text(fields?.keyPrefix);
  const scopes = list(fields?.scopes, text);
  if (
    apiKeyId === undefined ||
    displayName === undefined ||
    keyPrefix === undefined ||
    (scopes === undefined && fields?.scopes !== undefined)
  ) {
    return undefined;
  }
  return {
    apiKeyId, displayName, keyPrefix,
    ...(scopes === undefined ? {} : { scopes }),
  };
}

/** The plan that a customer is on. */
export interface MatchedCustomerPlan {
  readonly planId: string;
  readonly name: string;
}

export function parseMatchedCustomerPlan(body: unknown): MatchedCustomerPlan | undefined {
  const fields = fieldsOf(body);
  const planId = text(fields?.planId);
  const name = text(fields?.name);
  if (
    planId === undefined ||
    name === undefined
  ) {
    return undefined;
  }
  return {
    planId, name,
  };
}

/** The customer of the key. */
export interface MatchedCustomer {
  readonly customerId: string;
  /** The owner’s own id. */
  readonly externalId: string;
  readonly plan: MatchedCustomerPlan | null;
}

export function parseMatchedCustomer(body: unknown): MatchedCustomer | undefined {
  const fields = fieldsOf(body);
  const customerId = text(fields?.customerId);
  const externalId = text(fields?.externalId);
  const plan = nullable(fields?.plan, parseMatchedCustomerPlan);
  if (
    customerId === undefined ||
    externalId === undefined ||
    plan === undefined
  ) {
    return undefined;
  }
  return {
    customerId, externalId, plan,
  };
}

/** The policy that allows the request. */
export interface MatchedPolicy {
  readonly policyId: string;
  readonly method: string;
  readonly pathPattern: string;
}

export function parseMatchedPolicy(body: unknown): MatchedPolicy | undefined {
  const fields = fieldsOf(body);
  const policyId = text(fields?.policyId);
  const method = text(fields?.method);
  const pathPattern = text(fields?.pathPattern);
  if (
    policyId === undefined ||
    method === undefined ||
    pathPattern === undefined
  ) {
    return undefined;
  }
  return {
    policyId, method, pathPattern,
  };
}

/** The plan of the project’s subscription. */
export interface MatchedPlan {
  readonly planId: string;
  readonly name: string;
}

export function parseMatchedPlan(body: unknown): MatchedPlan | undefined {
  const fields = fieldsOf(body);
  const planId = text(fields?.planId);
  const name = text(fields?.name);
  if (
    planId === undefined ||
    name === undefined
  ) {
    return undefined;
  }
  return {
    planId, name,
  };
}

/** The key, policy and plan that an allowed request matched. */
export interface AccessContext {
  readonly projectId: string;
  readonly apiKey: MatchedApiKey;
  /** Absent for a key without a customer. */
  readonly customer?: MatchedCustomer | undefined;
  readonly policy: MatchedPolicy;
  readonly plan: MatchedPlan;
}

export function parseAccessContext(body: unknown): AccessContext | undefined {
  const fields = fieldsOf(body);
  const projectId = text(fields?.projectId);
  const apiKey = parseMatchedApiKey(fields?.apiKey);
  const customer = parseMatchedCustomer(fields?.customer);
  const policy = parseMatchedPolicy(fields?.policy);
  const plan = parseMatchedPlan(fields?.plan);
  if (
    projectId === undefined ||
    apiKey === undefined ||
    policy === undefined ||
    plan === undefined ||
    (customer === undefined && fields?.customer !== undefined)
  ) {
    return undefined;
  }
  return {
    projectId, apiKey, policy, plan,
    ...(customer === undefined ? {} : { customer }),
  };
}

/** For each window the counter with the least left: of the minute in requests, of the day and the month in what they cost. */
export interface Limits {
  readonly rateLimitPerMinute: number;
  readonly monthlyQuota: number;
  readonly remainingThisMinute: number;
  readonly remainingThisMonth: number;
  /** Only where a daily quota applies. */
  readonly dailyQuota?: number | undefined;
  /** Only where a daily quota applies. */
  readonly remainingToday?: number | undefined;
}

export function parseLimits(body: unknown): Limits | undefined {
  const fields = fieldsOf(body);
  const rateLimitPerMinute = count(fields?.rateLimitPerMinute);
  const monthlyQuota = count(fields?.monthlyQuota);
  const remainingThisMinute = count(fields?.remainingThisMinute);
  const remainingThisMonth = count(fields?.remainingThisMonth);
  const dailyQuota = count(fields?.dailyQuota);
  const remainingToday = count(fields?.remainingToday);
  if (
    rateLimitPerMinute === undefined ||
    monthlyQuota === undefined ||
    remainingThisMinute === undefined ||
    remainingThisMonth === undefined ||
    (dailyQuota === undefined && fields?.dailyQuota !== undefined) ||
    (remainingToday === undefined && fields?.remainingToday !== undefined)
  ) {
    return undefined;
  }
  return {
    rateLimitPerMinute, monthlyQuota, remainingThisMinute, remainingThisMonth,
    ...(dailyQuota === undefined ? {} : { dailyQuota }),
    ...(remainingToday === undefined ? {} : { remainingToday }),
  };
}

/** Seconds until the UTC minute, month and day of `limits` end. */
export interface ResetAfterSeconds {
  readonly minute: number;
  readonly month: number;
  readonly day?: number | undefined;
}

export function parseResetAfterSeconds(body: unknown): ResetAfterSeconds | undefined {
  const fields = fieldsOf(body);
  const minute = count(fields?.minute);
  const month = count(fields?.month);
  const day = count(fields?.day);
  if (
    minute === undefined ||
    month === undefined ||
    (day === undefined && fields?.day !== undefined)
  ) {
    return undefined;
  }
  return {
    minute, month,
    ...(day === undefined ? {} : { day }),
  };
}

/** The request may proceed, and was charged. */
export interface AllowDecision {
  readonly allowed: true;
  /** Identifies the decision in the project’s decision log. */
  readonly decisionId: string;
  readonly access: AccessContext;
  readonly limits: Limits;
  readonly resetAfterSeconds?: ResetAfterSeconds | undefined;
  readonly denialReason?: undefined;
  readonly retryAfterSeconds?: undefined;
  readonly exceededLimit?: undefined;
}

export function parseAllowDecision(body: unknown): AllowDecision | undefined {
  const fields = fieldsOf(body);
  const allowed = oneOf(fields?.allowed, true);
  const decisionId = text(fields?.decisionId);
  const access = parseAccessContext(fields?.access);
  const limits = parseLimits(fields?.limits);
  const resetAfterSeconds = parseResetAfterSeconds(fields?.resetAfterSeconds);
  if (
    allowed === undefined ||
    decisionId === undefined ||
    access === undefined ||
    limits === undefined
  ) {
    return undefined;
  }
  return {
    allowed, decisionId, access, limits,
    ...(resetAfterSeconds === undefined ? {} : { resetAfterSeconds }),
  };
}

/** The limit that refused a call, and whose it is: so many calls a minute, or so much cost a day or a month, in UTC. */
export interface ExceededLimit {
  readonly owner: 'plan' | 'customer_plan' | 'customer' | 'api_key' | 'project_default';
  readonly window: 'minute' | 'day' | 'month';
  readonly value: number;
}

export function parseExceededLimit(body: unknown): ExceededLimit | undefined {
  const fields = fieldsOf(body);
  const owner = oneOf(fields?.owner, 'plan', 'customer_plan', 'customer', 'api_key', 'project_default');
  const window = oneOf(fields?.window, 'minute', 'day', 'month');
  const value = count(fields?.value);
  if (
    owner === undefined ||
    window === undefined ||
    value === undefined
  ) {
    return undefined;
  }
  return {
    owner, window, value,
  };
}

/** The request must not proceed; nothing was charged. */
export interface DenyDecision {
  readonly allowed: false;
  /** Identifies the decision in the project’s decision log. */
  readonly decisionId: string | null;
  readonly denialReason: DenialReason | (string & {});
  /** Only for `quota_exceeded` and `rate_limited`. */
  readonly limits?: Limits | undefined;
  /** Seconds until a retry can succeed; only where `limits` is. */
  readonly retryAfterSeconds?: number | undefined;
  /** Only where `limits` is. */
  readonly exceededLimit?: ExceededLimit | undefined;
  readonly access?: undefined;
  readonly resetAfterSeconds?: undefined;
}

export function parseDenyDecision(body: unknown): DenyDecision | undefined {
  const fields = fieldsOf(body);
  const allowed = oneOf(fields?.allowed, false);
  const decisionId = text(fields?.decisionId) ?? null;
  const denialReason = text(fields?.denialReason);
  const limits = parseLimits(fields?.limits);
  const retryAfterSeconds = count(fields?.retryAfterSeconds);
  const exceededLimit = parseExceededLimit(fields?.exceededLimit);
  if (
    allowed === undefined ||
    decisionId === undefined ||
    denialReason === undefined
  ) {
    return undefined;
  }
  return {
    allowed, decisionId, denialReason,
    ...(limits === undefined ? {} : { limits }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(exceededLimit === undefined ? {} : { exceededLimit }),
  };
}

/** An allow or a denial: the verdict is in `allowed`. */
export type Decision = AllowDecision | DenyDecision;

export function parseDecision(body: unknown): Decision | undefined {
  return parseAllowDecision(body) ?? parseDenyDecision(body);
}
