import { z } from 'zod';
import { HOST_REPLY_MESSAGES, type HostReplyCode } from './host-replies.ts';
import {
  API_KEY_STATUSES,
  DENIAL_DETAILS,
  DENIAL_REASONS,
  HTTP_STATUS_FOR_ERROR,
  LIMIT_OWNERS,
  LIMIT_WINDOWS,
  type RuntimeErrorCode,
  SUBSCRIPTION_STATUSES,
} from './sets.ts';

/*
 * What the Runtime answers. It sends exactly these fields; who reads them has to ignore others, so that
 * a later version can add one (ADR 0054). Each described schema is a shape of the OpenAPI document, by
 * its name here, and so of the SDK and the client for Python.
 */

/** A UUID in its canonical 8-4-4-4-12 form, any version, as path parameters carry it. */
export const uuidSchema = z.guid();

const timestamp = z.iso.datetime();
const wholeNumber = z.int().min(0);

export const customerRefSchema = z
  .strictObject({
    customerId: uuidSchema,
    externalId: z.string().describe('The owner’s own id.'),
  })
  .describe('A customer, by both of its ids.');

const scopes = z.array(z.string());

export const previousSecretSchema = z
  .strictObject({
    keyPrefix: z.string(),
    validUntil: timestamp.describe('Exclusive.'),
    lastUsedAt: timestamp.nullable().describe('Null until its first allowed request since then.'),
  })
  .describe('The secret that a rotation has replaced, within its overlap.');
export type PreviousSecret = z.infer<typeof previousSecretSchema>;

export const apiKeySummarySchema = z
  .strictObject({
    apiKeyId: uuidSchema,
    displayName: z.string(),
    keyPrefix: z
      .string()
      .describe('The start of the key, for recognising it; safe to store and show.'),
    status: z
      .enum(API_KEY_STATUSES)
      .describe('An expired key stays `active`: each decision checks the expiry.'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    archivedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().describe('Null until the first allowed request.'),
    customer: customerRefSchema.optional().describe('Only of a key that has one.'),
    scopes: scopes
      .optional()
      .describe('Only of a restricted key: the labels of the policies that it may call.'),
    rateLimitPerMinute: wholeNumber.optional().describe('Only where the key has one of its own.'),
    dailyQuota: wholeNumber.optional().describe('Only where the key has one of its own.'),
    monthlyQuota: wholeNumber.optional().describe('Only where the key has one of its own.'),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What the owner keeps with it; only where it is not empty.'),
    isImported: z
      .literal(true)
      .optional()
      .describe('Only of a key whose secret another issuer made.'),
    previous: previousSecretSchema
      .optional()
      .describe('Only while the secret before the last rotation is valid too.'),
  })
  .describe('A key, without its plaintext. Times are ISO 8601.');
export type ApiKeySummary = z.infer<typeof apiKeySummarySchema>;

export const apiKeyListResultSchema = z
  .strictObject({
    apiKeys: z.array(apiKeySummarySchema),
    nextCursor: z
      .string()
      .nullable()
      .optional()
      .describe('Only of a page, that is where the query has a parameter; null on the last one.'),
  })
  .describe('Keys of the project, newest first, revoked and archived ones too.');
export type ApiKeyListResult = z.infer<typeof apiKeyListResultSchema>;

export const apiKeyCreateResultSchema = z
  .strictObject({
    apiKeyId: uuidSchema,
    displayName: z.string(),
    keyPrefix: z.string(),
    plaintextKey: z.string(),
  })
  .describe('A new key: the only answer with its plaintext, which cannot be retrieved again.');
export type ApiKeyCreateResult = z.infer<typeof apiKeyCreateResultSchema>;

export const apiKeyLifecycleResultSchema = z
  .strictObject({ apiKeyId: uuidSchema, status: z.enum(['revoked', 'archived']) })
  .describe('The status that a key has after revoke and archive.');
export type ApiKeyLifecycleResult = z.infer<typeof apiKeyLifecycleResultSchema>;

export const replacedSecretSchema = z
  .strictObject({ keyPrefix: z.string(), validUntil: timestamp.describe('Exclusive.') })
  .describe('The secret that a rotation has replaced, and how long it stays valid.');

export const apiKeyRotateResultSchema = z
  .strictObject({
    apiKeyId: uuidSchema,
    keyPrefix: z.string(),
    plaintextKey: z.string(),
    previous: replacedSecretSchema.nullable().describe('Null where it has ended.'),
  })
  .describe('The new secret of a key: the only answer with it, and it cannot be retrieved again.');
export type ApiKeyRotateResult = z.infer<typeof apiKeyRotateResultSchema>;

export const apiKeyErrorSchema = z
  .strictObject({ status: z.literal([400, 403, 404, 409]), error: z.string(), message: z.string() })
  .describe('One of several keys was refused; the others were not.');
export type ApiKeyError = z.infer<typeof apiKeyErrorSchema>;

export const createdApiKeySchema = z
  .strictObject({ status: z.literal(200), apiKey: apiKeyCreateResultSchema })
  .describe('One of several keys was created.');

export const apiKeysCreateResultSchema = z
  .strictObject({
    results: z.array(z.discriminatedUnion('status', [createdApiKeySchema, apiKeyErrorSchema])),
  })
  .describe('One result per key, in their order.');
export type ApiKeysCreateResult = z.infer<typeof apiKeysCreateResultSchema>;

export const importedApiKeyResultSchema = z
  .strictObject({ status: z.literal(200), apiKeyId: uuidSchema })
  .describe('The project has the key, from this import or from before.');

export const apiKeysImportResultSchema = z
  .strictObject({
    results: z.array(
      z.discriminatedUnion('status', [importedApiKeyResultSchema, apiKeyErrorSchema]),
    ),
  })
  .describe('One result per key, in their order.');
export type ApiKeysImportResult = z.infer<typeof apiKeysImportResultSchema>;

export const matchedCustomerPlanSchema = z
  .strictObject({ planId: uuidSchema, name: z.string() })
  .describe('The plan that a customer is on.');

export const customerSchema = z
  .strictObject({
    customerId: uuidSchema,
    externalId: z.string().describe('The owner’s own id.'),
    name: z.string().describe('Empty where it has none.'),
    metadata: z.record(z.string(), z.unknown()).describe('What the owner keeps with it.'),
    suspendedAt: timestamp.nullable().describe('Its keys are denied since then.'),
    plan: matchedCustomerPlanSchema.nullable(),
    subscriptionStatus: z.enum(SUBSCRIPTION_STATUSES).nullable().describe('Null without a plan.'),
    currentPeriodEnd: timestamp
      .nullable()
      .describe('When the plan lapses; null where it has no end, and without a plan.'),
    billingDay: wholeNumber.describe('The day, in UTC, on which the month of its quota begins.'),
    rateLimitPerMinute: wholeNumber.nullable().describe('Its own, in place of the plan’s.'),
    dailyQuota: wholeNumber.nullable().describe('Its own, in place of the plan’s.'),
    monthlyQuota: wholeNumber.nullable().describe('Its own, in place of the plan’s.'),
    createdAt: timestamp,
  })
  .describe('A customer: keys that belong to it share its limits. Times are ISO 8601.');
export type CustomerBody = z.infer<typeof customerSchema>;

export const customerListResultSchema = z
  .strictObject({ customers: z.array(customerSchema), nextCursor: z.string().nullable() })
  .describe('One page, newest first; `nextCursor` is null on the last one.');
export type CustomerListResult = z.infer<typeof customerListResultSchema>;

export const usageOfStepSchema = z
  .strictObject({
    from: timestamp,
    allowed: wholeNumber,
    denied: wholeNumber,
    cost: wholeNumber.describe('What the allowed calls took of quotas.'),
  })
  .describe('The decisions of a day or a month in UTC.');

export const usageResultSchema = z
  .strictObject({
    from: timestamp,
    to: timestamp.describe('Excluded.'),
    step: z.enum(['day', 'month']),
    usage: z.array(usageOfStepSchema).describe('One per step of the range, oldest first.'),
  })
  .describe('Usage over time, as of the last second.');
export type UsageResult = z.infer<typeof usageResultSchema>;

export const customerPeriodSchema = z
  .strictObject({
    from: timestamp,
    to: timestamp.describe('Excluded.'),
    cost: wholeNumber.describe('Used of the month, through keys that were its own at the time.'),
    dailyCost: wholeNumber.describe(
      'Used of the day in UTC: of its daily quota, or, without one, through the keys that it has.',
    ),
  })
  .describe('The customer’s month, which begins on its billing day.');

export const customerUsageResultSchema = usageResultSchema
  .extend({ period: customerPeriodSchema })
  .describe('Usage of the keys that a customer has, and of its month.');
export type CustomerUsageResult = z.infer<typeof customerUsageResultSchema>;

export const matchedApiKeySchema = z
  .strictObject({
    apiKeyId: uuidSchema,
    displayName: z.string(),
    keyPrefix: z.string(),
    scopes: scopes.optional().describe('Only of a restricted key: the labels that it has.'),
  })
  .describe('The key of the caller.');
export const matchedPolicySchema = z
  .strictObject({ policyId: uuidSchema, method: z.string(), pathPattern: z.string() })
  .describe('The policy that allows the request.');
export const matchedPlanSchema = z
  .strictObject({ planId: uuidSchema, name: z.string() })
  .describe('The plan of the project’s subscription.');

export const matchedCustomerSchema = customerRefSchema
  .extend({ plan: matchedCustomerPlanSchema.nullable() })
  .describe('The customer of the key.');

export const accessContextSchema = z
  .strictObject({
    projectId: uuidSchema,
    apiKey: matchedApiKeySchema,
    customer: matchedCustomerSchema.optional().describe('Absent for a key without a customer.'),
    policy: matchedPolicySchema,
    plan: matchedPlanSchema,
  })
  .describe('The key, policy and plan that an allowed request matched.');
export type AccessContext = z.infer<typeof accessContextSchema>;

export const limitsSchema = z
  .strictObject({
    rateLimitPerMinute: wholeNumber,
    monthlyQuota: wholeNumber,
    remainingThisMinute: wholeNumber,
    remainingThisMonth: wholeNumber,
    dailyQuota: wholeNumber.optional().describe('Only where a daily quota applies.'),
    remainingToday: wholeNumber.optional().describe('Only where a daily quota applies.'),
  })
  .describe(
    'For each window the counter with the least left: of the minute in requests, of the day and the month in what they cost.',
  );
export type Limits = z.infer<typeof limitsSchema>;

export const resetAfterSecondsSchema = z
  .strictObject({ minute: wholeNumber, month: wholeNumber, day: wholeNumber.optional() })
  .describe('Seconds until the UTC minute, month and day of `limits` end.');
export type ResetAfterSeconds = z.infer<typeof resetAfterSecondsSchema>;

const decisionId = uuidSchema.describe('Identifies the decision in the project’s decision log.');

export const allowDecisionSchema = z
  .strictObject({
    allowed: z.literal(true),
    decisionId,
    access: accessContextSchema,
    limits: limitsSchema,
    resetAfterSeconds: resetAfterSecondsSchema,
  })
  .describe('The request may proceed, and was charged.');
export type AllowDecision = z.infer<typeof allowDecisionSchema>;

export const exceededLimitSchema = z
  .strictObject({
    owner: z.enum(LIMIT_OWNERS),
    window: z.enum(LIMIT_WINDOWS),
    value: wholeNumber,
  })
  .describe(
    'The limit that refused a call, and whose it is: so many calls a minute, or so much cost a day or a month, in UTC.',
  );
export type ExceededLimit = z.infer<typeof exceededLimitSchema>;

export const denyDecisionSchema = z
  .strictObject({
    allowed: z.literal(false),
    decisionId,
    denialReason: z.enum(DENIAL_REASONS),
    limits: limitsSchema.optional().describe('Only for `quota_exceeded` and `rate_limited`.'),
    retryAfterSeconds: wholeNumber
      .optional()
      .describe('Seconds until a retry can succeed; only where `limits` is.'),
    exceededLimit: exceededLimitSchema.optional().describe('Only where `limits` is.'),
  })
  .describe('The request must not proceed; nothing was charged.');
export type DenyDecision = z.infer<typeof denyDecisionSchema>;

export const decisionSchema = z
  .discriminatedUnion('allowed', [allowDecisionSchema, denyDecisionSchema])
  .describe('An allow or a denial: the verdict is in `allowed`.');
export type Decision = z.infer<typeof decisionSchema>;

export const gatewayAllowSchema = z
  .strictObject({ allowed: z.literal(true) })
  .describe('The request may proceed.');
export const hostReplySchema = z
  .strictObject({
    error: z.enum(Object.keys(HOST_REPLY_MESSAGES) as HostReplyCode[]),
    message: z.string(),
  })
  .describe('The reply of a host that refuses a request: nothing of it identifies a key.');

export const forwardAuthBodySchema = z
  .union([gatewayAllowSchema, hostReplySchema])
  .describe('What a gateway may pass on to its caller.');
export type ForwardAuthBody = z.infer<typeof forwardAuthBodySchema>;

export const batchDecisionSchema = z
  .strictObject({ status: z.literal(200), decision: decisionSchema })
  .describe('The answer to one request of a batch.');
export const batchErrorSchema = z
  .strictObject({ status: z.literal([400, 503]), error: z.string(), message: z.string() })
  .describe('One request of a batch is not valid, or could not be decided.');

export const authorizeBatchResultSchema = z
  .strictObject({
    results: z.array(z.discriminatedUnion('status', [batchDecisionSchema, batchErrorSchema])),
  })
  .describe('One result per request, in their order.');
export type AuthorizeBatchResult = z.infer<typeof authorizeBatchResultSchema>;

export const loggedDecisionSchema = z
  .strictObject({
    decisionId: uuidSchema,
    at: timestamp,
    requestId: z.string().nullable().describe('`x-request-id` of the call that asked.'),
    method: z.string(),
    path: z
      .string()
      .nullable()
      .describe('Without its query; null while the project logs no paths.'),
    allowed: z.boolean(),
    denialReason: z.enum(DENIAL_REASONS).nullable(),
    denialDetail: z
      .enum(DENIAL_DETAILS)
      .nullable()
      .describe('Only for `expired_api_key`, `policy_no_match` and `inactive_subscription`.'),
    apiKeyId: uuidSchema.nullable().describe('Null where the project has no such key.'),
    customerId: uuidSchema.nullable().describe('The customer that the key had then.'),
    keyPrefix: z
      .string()
      .nullable()
      .describe('The public prefix of the credential, also of an unknown key.'),
    byPreviousSecret: z
      .boolean()
      .describe('Whether it was the secret that a rotation has replaced, within its overlap.'),
    policyId: uuidSchema.nullable(),
    limits: limitsSchema
      .nullable()
      .describe('As the decision returned them; null where an earlier check denied.'),
    exceededLimit: exceededLimitSchema
      .nullable()
      .describe('Only for `quota_exceeded` and `rate_limited`.'),
    latencyMs: wholeNumber.describe('How long the Runtime took, in ms.'),
  })
  .describe('A decision of the log.');
export type LoggedDecision = z.infer<typeof loggedDecisionSchema>;

export const decisionListResultSchema = z
  .strictObject({ decisions: z.array(loggedDecisionSchema), nextCursor: z.string().nullable() })
  .describe('One page, newest first; `nextCursor` is null on the last one.');
export type DecisionListResult = z.infer<typeof decisionListResultSchema>;

export const transportErrorSchema = z
  .strictObject({
    error: z.enum(Object.keys(HTTP_STATUS_FOR_ERROR) as RuntimeErrorCode[]),
    message: z.string(),
    requestId: z.string(),
    apiKeyId: uuidSchema
      .optional()
      .describe('Only of a creation with an `Idempotency-Key` that has made this key before.'),
  })
  .describe('The body of a transport error; that of a 500 or 503 gives no details.');
export type TransportErrorBody = z.infer<typeof transportErrorSchema>;

const checkState = z.enum(['ok', 'unavailable']);
export type CheckState = z.infer<typeof checkState>;

export const healthSchema = z
  .strictObject({ ok: z.literal(true) })
  .describe('The process accepts connections.');
export const readinessChecksSchema = z
  .strictObject({
    database: checkState,
    redis: checkState,
    schema: z
      .literal('unavailable')
      .optional()
      .describe('Only where the database lacks migrations of the build.'),
  })
  .describe('The state of each dependency.');
export const runtimeReadinessSchema = z
  .strictObject({ ok: z.boolean(), checks: readinessChecksSchema })
  .describe('Whether decisions can be made, and what is unavailable.');
export const runtimeVersionSchema = z
  .strictObject({ sha: z.string(), schema: z.string() })
  .describe('The commit, and the newest migration that the build expects.');
