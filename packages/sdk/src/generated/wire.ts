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
}

export function parseMatchedApiKey(body: unknown): MatchedApiKey | undefined {
  const fields = fieldsOf(body);
  const apiKeyId = text(fields?.apiKeyId);
  const displayName = text(fields?.displayName);
  const keyPrefix = text(fields?.keyPrefix);
  if (
    apiKeyId === undefined ||
    displayName === undefined ||
    keyPrefix === undefined
  ) {
    return undefined;
  }
  return {
    apiKeyId, displayName, keyPrefix,
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
  readonly policy: MatchedPolicy;
  readonly plan: MatchedPlan;
}

export function parseAccessContext(body: unknown): AccessContext | undefined {
  const fields = fieldsOf(body);
  const projectId = text(fields?.projectId);
  const apiKey = parseMatchedApiKey(fields?.apiKey);
  const policy = parseMatchedPolicy(fields?.policy);
  const plan = parseMatchedPlan(fields?.plan);
  if (
    projectId === undefined ||
    apiKey === undefined ||
    policy === undefined ||
    plan === undefined
  ) {
    return undefined;
  }
  return {
    projectId, apiKey, policy, plan,
  };
}

/** In requests, for the minute and for the month: the counter with the least left. */
export interface Limits {
  readonly rateLimitPerMinute: number;
  readonly monthlyQuota: number;
  readonly remainingThisMinute: number;
  readonly remainingThisMonth: number;
}

export function parseLimits(body: unknown): Limits | undefined {
  const fields = fieldsOf(body);
  const rateLimitPerMinute = count(fields?.rateLimitPerMinute);
  const monthlyQuota = count(fields?.monthlyQuota);
  const remainingThisMinute = count(fields?.remainingThisMinute);
  const remainingThisMonth = count(fields?.remainingThisMonth);
  if (
    rateLimitPerMinute === undefined ||
    monthlyQuota === undefined ||
    remainingThisMinute === undefined ||
    remainingThisMonth === undefined
  ) {
    return undefined;
  }
  return {
    rateLimitPerMinute, monthlyQuota, remainingThisMinute, remainingThisMonth,
  };
}

/** Seconds until the UTC minute and month of `limits` end. */
export interface ResetAfterSeconds {
  readonly minute: number;
  readonly month: number;
}

export function parseResetAfterSeconds(body: unknown): ResetAfterSeconds | undefined {
  const fields = fieldsOf(body);
  const minute = count(fields?.minute);
  const month = count(fields?.month);
  if (
    minute === undefined ||
    month === undefined
  ) {
    return undefined;
  }
  return {
    minute, month,
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
  };
}

/** An allow or a denial: the verdict is in `allowed`. */
export type Decision = AllowDecision | DenyDecision;

export function parseDecision(body: unknown): Decision | undefined {
  return parseAllowDecision(body) ?? parseDenyDecision(body);
}
