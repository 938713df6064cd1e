/** What the Runtime answers. Written by generate.mjs from its OpenAPI document. */

import type { DenialReason } from '@ceiba/contract/sets';
import { anyText, count, either, fieldsOf, list, nullable, oneOf, type Read, shape, text } from '../json.ts';

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

/** The secret that a rotation has replaced, within its overlap. */
export interface PreviousSecret {
  readonly keyPrefix: string;
  /** Exclusive. */
  readonly validUntil: string;
  /** Null until its first allowed request since then. */
  readonly lastUsedAt: string | null;
}

const parsePreviousSecret: Read<PreviousSecret> = shape(
  { keyPrefix: text, validUntil: text, lastUsedAt: nullable(text) },
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
  /** What the owner keeps with it; only where it is not empty. */
  readonly metadata?: Record<string, unknown> | undefined;
  /** Only of a key whose secret another issuer made. */
  readonly isImported?: true | undefined;
  /** Only while the secret before the last rotation is valid too. */
  readonly previous?: PreviousSecret | undefined;
}

export const parseApiKeySummary: Read<ApiKeySummary> = shape(
  { apiKeyId: text, displayName: text, keyPrefix: text, status: oneOf('active', 'revoked', 'archived'), createdAt: text, expiresAt: nullable(text), revokedAt: nullable(text), archivedAt: nullable(text), lastUsedAt: nullable(text) },
  { customer: parseCustomerRef, scopes: list(text), rateLimitPerMinute: count, dailyQuota: count, monthlyQuota: count, metadata: fieldsOf, isImported: oneOf(true), previous: parsePreviousSecret },
);

/** Keys of the project, newest first, revoked and archived ones too. */
export interface ApiKeyListResult {
  readonly apiKeys: ApiKeySummary[];
  /** Only of a page, that is where the query has a parameter; null on the last one. */
  readonly nextCursor?: string | null | undefined;
}

export const parseApiKeyListResult: Read<ApiKeyListResult> = shape(
  { apiKeys: list(parseApiKeySummary) },
  { nextCursor: nullable(text) },
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

/** The secret that a rotation has replaced, and how long it stays valid. */
export interface ReplacedSecret {
  readonly keyPrefix: string;
  /** Exclusive. */
  readonly validUntil: string;
}

const parseReplacedSecret: Read<ReplacedSecret> = shape(
  { keyPrefix: text, validUntil: text },
);

/** The new secret of a key: the only answer with it, and it cannot be retrieved again. */
export interface ApiKeyRotateResult {
  readonly apiKeyId: string;
  readonly keyPrefix: string;
  readonly plaintextKey: string;
  /** Null where it has ended. */
  readonly previous: ReplacedSecret | null;
}

export const parseApiKeyRotateResult: Read<ApiKeyRotateResult> = shape(
  { apiKeyId: text, keyPrefix: text, plaintextKey: text, previous: nullable(parseReplacedSecret) },
);

/** One of several keys was created. */
export interface CreatedApiKey {
  readonly status: 200;
  readonly apiKey: ApiKeyCreateResult;
}

const parseCreatedApiKey: Read<CreatedApiKey> = shape(
  { status: oneOf(200), apiKey: parseApiKeyCreateResult },
);

/** One of several keys was refused; the others were not. */
export interface ApiKeyError {
  readonly status: 400 | 403 | 404 | 409;
  readonly error: string;
  readonly message: string;
}

const parseApiKeyError: Read<ApiKeyError> = shape(
  { status: oneOf(400, 403, 404, 409), error: text, message: text },
);

/** One result per key, in their order. */
export interface ApiKeysCreateResult {
  readonly results: (CreatedApiKey | ApiKeyError)[];
}

export const parseApiKeysCreateResult: Read<ApiKeysCreateResult> = shape(
  { results: list(either(parseCreatedApiKey, parseApiKeyError)) },
);

/** The project has the key, from this import or from before. */
export interface ImportedApiKeyResult {
  readonly status: 200;
  readonly apiKeyId: string;
}

const parseImportedApiKeyResult: Read<ImportedApiKeyResult> = shape(
  { status: oneOf(200), apiKeyId: text },
);

/** One result per key, in their order. */
export interface ApiKeysImportResult {
  readonly results: (ImportedApiKeyResult | ApiKeyError)[];
}

export const parseApiKeysImportResult: Read<ApiKeysImportResult> = shape(
  { results: list(either(parseImportedApiKeyResult, parseApiKeyError)) },
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

/** A customer: keys that belong to it share its limits. Times are ISO 8601. */
export interface Customer {
  readonly customerId: string;
  /** The owner’s own id. */
  readonly externalId: string;
  /** Empty where it has none. */
  readonly name: string;
  /** What the owner keeps with it. */
  readonly metadata: Record<string, unknown>;
  /** Its keys are denied since then. */
  readonly suspendedAt: string | null;
  readonly plan: MatchedCustomerPlan | null;
  /** Null without a plan. */
  readonly subscriptionStatus: 'active' | 'trialing' | 'past_due' | 'canceled' | null;
  /** When the plan lapses; null where it has no end, and without a plan. */
  readonly currentPeriodEnd: string | null;
  /** The day, in UTC, on which the month of its quota begins. */
  readonly billingDay: number;
  /** Its own, in place of the plan’s. */
  readonly rateLimitPerMinute: number | null;
  /** Its own, in place of the plan’s. */
  readonly dailyQuota: number | null;
  /** Its own, in place of the plan’s. */
  readonly monthlyQuota: number | null;
  readonly createdAt: string;
}

export const parseCustomer: Read<Customer> = shape(
  { customerId: text, externalId: text, name: anyText, metadata: fieldsOf, suspendedAt: nullable(text), plan: nullable(parseMatchedCustomerPlan), subscriptionStatus: nullable(oneOf('active', 'trialing', 'past_due', 'canceled')), currentPeriodEnd: nullable(text), billingDay: count, rateLimitPerMinute: nullable(count), dailyQuota: nullable(count), monthlyQuota: nullable(count), createdAt: text },
);

/** One page, newest first; `nextCursor` is null on the last one. */
export interface CustomerListResult {
  readonly customers: Customer[];
  readonly nextCursor: string | null;
}

export const parseCustomerListResult: Read<CustomerListResult> = shape(
  { customers: list(parseCustomer), nextCursor: nullable(text) },
);

/** The decisions of a day or a month in UTC. */
export interface UsageOfStep {
  readonly from: string;
  readonly allowed: number;
  readonly denied: number;
  /** What the allowed calls took of quotas. */
  readonly cost: number;
}

const parseUsageOfStep: Read<UsageOfStep> = shape(
  { from: text, allowed: count, denied: count, cost: count },
);

/** Usage over time, as of the last second. */
export interface UsageResult {
  readonly from: string;
  /** Excluded. */
  readonly to: string;
  readonly step: 'day' | 'month';
  /** One per step of the range, oldest first. */
  readonly usage: UsageOfStep[];
}

export const parseUsageResult: Read<UsageResult> = shape(
  { from: text, to: text, step: oneOf('day', 'month'), usage: list(parseUsageOfStep) },
);

/** The customer’s month, which begins on its billing day. */
export interface CustomerPeriod {
  readonly from: string;
  /** Excluded. */
  readonly to: string;
  /** Used of the month, through keys that were its own at the time. */
  readonly cost: number;
  /** Used of the day in UTC: of its daily quota, or, without one, through the keys that it has. */
  readonly dailyCost: number;
}

const parseCustomerPeriod: Read<CustomerPeriod> = shape(
  { from: text, to: text, cost: count, dailyCost: count },
);

/** Usage of the keys that a customer has, and of its month. */
export interface CustomerUsageResult {
  readonly from: string;
  /** Excluded. */
  readonly to: string;
  readonly step: 'day' | 'month';
  /** One per step of the range, oldest first. */
  readonly usage: UsageOfStep[];
  readonly period: CustomerPeriod;
}

export const parseCustomerUsageResult: Read<CustomerUsageResult> = shape(
  { from: text, to: text, step: oneOf('day', 'month'), usage: list(parseUsageOfStep), period: parseCustomerPeriod },
);

/** A new key. Only its label is required. */
export interface CreateApiKeyRequest {
  /** A label of 1 to 100 characters, none of them a control character. */
  readonly displayName: string;
  /** The customer that the key belongs to; null for none. */
  readonly customerId?: string | null | undefined;
  /** Its other name, in place of `customerId`: created where the project has none. */
  readonly externalCustomerId?: string | null | undefined;
  /** The labels of the policies that it may call, at most 64; null for all. */
  readonly scopes?: string[] | null | undefined;
  /** An RFC 3339 time with Z or an offset; null removes the expiry. */
  readonly expiresAt?: string | null | undefined;
  /** Any JSON object of at most 4096 bytes; replaced whole. */
  readonly metadata?: Record<string, unknown> | undefined;
  /** Calls per minute; null for no limit. */
  readonly rateLimitPerMinute?: number | null | undefined;
  /** What calls of a day in UTC may cost; null for no limit. */
  readonly dailyQuota?: number | null | undefined;
  /** What calls of a month may cost; null for no limit. */
  readonly monthlyQuota?: number | null | undefined;
}

/** What to change of an active key, at least one field; null clears it. */
export interface UpdateApiKeyRequest {
  readonly displayName?: string | undefined;
  /** The customer that the key belongs to; null for none. */
  readonly customerId?: string | null | undefined;
  /** Its other name, in place of `customerId`: created where the project has none. */
  readonly externalCustomerId?: string | null | undefined;
  /** The labels of the policies that it may call, at most 64; null for all. */
  readonly scopes?: string[] | null | undefined;
  /** An RFC 3339 time with Z or an offset; null removes the expiry. */
  readonly expiresAt?: string | null | undefined;
  /** Any JSON object of at most 4096 bytes; replaced whole. */
  readonly metadata?: Record<string, unknown> | undefined;
  /** Calls per minute; null for no limit. */
  readonly rateLimitPerMinute?: number | null | undefined;
  /** What calls of a day in UTC may cost; null for no limit. */
  readonly dailyQuota?: number | null | undefined;
  /** What calls of a month may cost; null for no limit. */
  readonly monthlyQuota?: number | null | undefined;
}

/** Which secret of a key to replace, and how long it stays valid. */
export interface RotateApiKeyRequest {
  /** Of the secret to replace, so that a repeated call replaces no other one. */
  readonly keyPrefix: string;
  /** How long the replaced secret stays valid; 0 ends it with the next decision. */
  readonly overlapSeconds: number;
  /** Whether a secret that is still within its overlap may end at once. */
  readonly confirm?: boolean | undefined;
}

/** A key that another issuer made. */
export interface ImportedApiKey {
  /** SHA-256 of the whole secret, as callers present it. */
  readonly digest: string;
  /** How `digest` is written. */
  readonly encoding: 'hex' | 'base64' | 'base64url';
  /** A label of 1 to 100 characters, none of them a control character. */
  readonly displayName: string;
  /** The beginning of the secret, or another text that helps to recognise it. */
  readonly keyPrefix: string;
  /** The owner’s own id of a customer that the project has; null for none. */
  readonly externalCustomerId?: string | null | undefined;
  /** The labels of the policies that it may call, at most 64; null for all. */
  readonly scopes?: string[] | null | undefined;
  /** An RFC 3339 time with Z or an offset; null removes the expiry. */
  readonly expiresAt?: string | null | undefined;
  /** Any JSON object of at most 4096 bytes; replaced whole. */
  readonly metadata?: Record<string, unknown> | undefined;
  /** Calls per minute; null for no limit. */
  readonly rateLimitPerMinute?: number | null | undefined;
  /** What calls of a day in UTC may cost; null for no limit. */
  readonly dailyQuota?: number | null | undefined;
  /** What calls of a month may cost; null for no limit. */
  readonly monthlyQuota?: number | null | undefined;
  /** Whether its calls are denied until it is enabled. */
  readonly disabled?: boolean | undefined;
  /** When it was made, not in the future. */
  readonly createdAt?: string | undefined;
}

/** A new customer. Only its external id is required. */
export interface CreateCustomerRequest {
  /** The owner’s own id, unique in the project: 1 to 255 bytes. */
  readonly externalId: string;
  /** At most 100 characters; empty for none. */
  readonly name?: string | undefined;
  /** Any JSON object of at most 4096 bytes; replaced whole. */
  readonly metadata?: Record<string, unknown> | undefined;
  /** The name of a customer plan of the project; null for none. */
  readonly plan?: string | null | undefined;
  /** Only with a plan; `active` by default. */
  readonly subscriptionStatus?: 'active' | 'trialing' | 'past_due' | 'canceled' | undefined;
  /** Only with a plan: when it lapses, as an RFC 3339 time; null for never. */
  readonly currentPeriodEnd?: string | null | undefined;
  /** The day of the month, in UTC, on which the month of its quota begins; 1 by default. */
  readonly billingDay?: number | undefined;
  /** Calls per minute; null for no limit. */
  readonly rateLimitPerMinute?: number | null | undefined;
  /** What calls of a day in UTC may cost; null for no limit. */
  readonly dailyQuota?: number | null | undefined;
  /** What calls of a month may cost; null for no limit. */
  readonly monthlyQuota?: number | null | undefined;
}

/** What to change of a customer, at least one field; null clears a number, the plan or its end. */
export interface UpdateCustomerRequest {
  /** The owner’s own id, unique in the project: 1 to 255 bytes. */
  readonly externalId?: string | undefined;
  /** At most 100 characters; empty for none. */
  readonly name?: string | undefined;
  /** Any JSON object of at most 4096 bytes; replaced whole. */
  readonly metadata?: Record<string, unknown> | undefined;
  /** The name of a customer plan of the project; null for none. */
  readonly plan?: string | null | undefined;
  /** Only with a plan; `active` by default. */
  readonly subscriptionStatus?: 'active' | 'trialing' | 'past_due' | 'canceled' | undefined;
  /** Only with a plan: when it lapses, as an RFC 3339 time; null for never. */
  readonly currentPeriodEnd?: string | null | undefined;
  /** The day of the month, in UTC, on which the month of its quota begins; 1 by default. */
  readonly billingDay?: number | undefined;
  /** Calls per minute; null for no limit. */
  readonly rateLimitPerMinute?: number | null | undefined;
  /** What calls of a day in UTC may cost; null for no limit. */
  readonly dailyQuota?: number | null | undefined;
  /** What calls of a month may cost; null for no limit. */
  readonly monthlyQuota?: number | null | undefined;
}
