/** What the Runtime answers. Written by generate.mjs from its OpenAPI document. */

import type { DenialReason } from '@ceiba/contract/sets';
import { count, fieldsOf, list, nullable, oneOf, type Read, shape, text } from '../json.ts';

/*
 * Answers are read field by field, because a value that only resembles an allow must not become one
 * (docs/reference/consistency.md: fail closed). Unknown fields are ignored and dropped. A parser returns
 * undefined for a body of another shape.
 */

/** A customer, by both of its ids. */
export interface CustomerRef {
  readonly customerId: string;
  /** The owner’s own id. */
  readonly externalId: string;
}

const parseCustomerRef: Read<CustomerRef> = shape(
  { customerId: text, externalId: text },
);

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
  /** Only of a key that has one. */
  readonly customer?: CustomerRef | undefined;
  /** Only of a restricted key: the labels of the policies that it may call. */
  readonly scopes?: string[] | undefined;
  /** Only where the key has one of its own. */
  readonly rateLimitPerMinute?: number | undefined;
  /** Only where the key has one of its own. */
  readonly dailyQuota?: number | undefined;
  /** Only where the key has one of its own. */
  readonly monthlyQuota?: number | undefined;
}

export const parseApiKeySummary: Read<ApiKeySummary> = shape(
  { apiKeyId: text, displayName: text, keyPrefix: text, status: oneOf('active', 'revoked', 'archived'), createdAt: text, expiresAt: nullable(text), revokedAt: nullable(text), archivedAt: nullable(text), lastUsedAt: nullable(text) },
  { customer: parseCustomerRef, scopes: list(text), rateLimitPerMinute: count, dailyQuota: count, monthlyQuota: count },
);

/** All keys of the project, newest first, revoked and archived ones too. */
export interface ApiKeyListResult {
  readonly apiKeys: ApiKeySummary[];
}

export const parseApiKeyListResult: Read<ApiKeyListResult> = shape(
  { apiKeys: list(parseApiKeySummary) },
);

/** A new key: the only answer with its plaintext, which cannot be retrieved again. */
export interface ApiKeyCreateResult {
  readonly apiKeyId: string;
  readonly displayName: string;
  readonly keyPrefix: string;
  readonly plaintextKey: string;
}

export const parseApiKeyCreateResult: Read<ApiKeyCreateResult> = shape(
  { apiKeyId: text, displayName: text, keyPrefix: text, plaintextKey: text },
);

/** The status that a key has after revoke and archive. */
export interface ApiKeyLifecycleResult {
  readonly apiKeyId: string;
  readonly status: 'revoked' | 'archived';
}

export const parseApiKeyLifecycleResult: Read<ApiKeyLifecycleResult> = shape(
  { apiKeyId: text, status: oneOf('revoked', 'archived') },
);

/** The key of the caller. */
export interface MatchedApiKey {
  readonly apiKeyId: string;
  readonly displayName: string;
  readonly keyPrefix: string;
  /** Only of a restricted key: the labels that it has. */
  readonly scopes?: string[] | undefined;
}

const parseMatchedApiKey: Read<MatchedApiKey> = shape(
  { apiKeyId: text, displayName: text, keyPrefix: text },
  { scopes: list(text) },
);

/** The plan that a customer is on. */
export interface MatchedCustomerPlan {
  readonly planId: string;
  readonly name: string;
}

const parseMatchedCustomerPlan: Read<MatchedCustomerPlan> = shape(
  { planId: text, name: text },
);

/** The customer of the key. */
export interface MatchedCustomer {
  readonly customerId: string;
  /** The owner’s own id. */
  readonly externalId: string;
  readonly plan: MatchedCustomerPlan | null;
}

const parseMatchedCustomer: Read<MatchedCustomer> = shape(
  { customerId: text, externalId: text, plan: nullable(parseMatchedCustomerPlan) },
);

/** The policy that allows the request. */
export interface MatchedPolicy {
  readonly policyId: string;
  readonly method: string;
  readonly pathPattern: string;
}

const parseMatchedPolicy: Read<MatchedPolicy> = shape(
  { policyId: text, method: text, pathPattern: text },
);

/** The plan of the project’s subscription. */
export interface MatchedPlan {
  readonly planId: string;
  readonly name: string;
}

const parseMatchedPlan: Read<MatchedPlan> = shape(
  { planId: text, name: text },
);

/** The key, policy and plan that an allowed request matched. */
export interface AccessContext {
  readonly projectId: string;
  readonly apiKey: MatchedApiKey;
  /** Absent for a key without a customer. */
  readonly customer?: MatchedCustomer | undefined;
  readonly policy: MatchedPolicy;
  readonly plan: MatchedPlan;
}

const parseAccessContext: Read<AccessContext> = shape(
  { projectId: text, apiKey: parseMatchedApiKey, policy: parseMatchedPolicy, plan: parseMatchedPlan },
  { customer: parseMatchedCustomer },
);

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

const parseLimits: Read<Limits> = shape(
  { rateLimitPerMinute: count, monthlyQuota: count, remainingThisMinute: count, remainingThisMonth: count },
  { dailyQuota: count, remainingToday: count },
);

/** Seconds until the UTC minute, month and day of `limits` end. */
export interface ResetAfterSeconds {
  readonly minute: number;
  readonly month: number;
  readonly day?: number | undefined;
}

const parseResetAfterSeconds: Read<ResetAfterSeconds> = shape(
  { minute: count, month: count },
  { day: count },
);

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

const parseAllowDecision: Read<AllowDecision> = shape(
  { allowed: oneOf(true), decisionId: text, access: parseAccessContext, limits: parseLimits },
  {},
  { resetAfterSeconds: parseResetAfterSeconds },
);

/** The limit that refused a call, and whose it is: so many calls a minute, or so much cost a day or a month, in UTC. */
export interface ExceededLimit {
  readonly owner: 'plan' | 'customer_plan' | 'customer' | 'api_key' | 'project_default';
  readonly window: 'minute' | 'day' | 'month';
  readonly value: number;
}

const parseExceededLimit: Read<ExceededLimit> = shape(
  { owner: oneOf('plan', 'customer_plan', 'customer', 'api_key', 'project_default'), window: oneOf('minute', 'day', 'month'), value: count },
);

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

const parseDenyDecision: Read<DenyDecision> = shape(
  { allowed: oneOf(false), decisionId: (id) => text(id) ?? null, denialReason: text },
  {},
  { limits: parseLimits, retryAfterSeconds: count, exceededLimit: parseExceededLimit },
);

/** An allow or a denial: the verdict is in `allowed`. */
export type Decision = AllowDecision | DenyDecision;

export const parseDecision: Read<Decision> = (body) =>
  parseAllowDecision(body) ?? parseDenyDecision(body);
