import { z } from 'zod';
import { HOST_REPLY_MESSAGES, type HostReplyCode } from './host-replies.ts';
import { API_KEY_STATUSES, DENIAL_DETAILS, DENIAL_REASONS, LIMIT_OWNERS } from './sets.ts';

/** A UUID in its canonical 8-4-4-4-12 form, any version, as path parameters carry it. */
export const uuidSchema = z.guid();

const timestamp = z.iso.datetime();
const wholeNumber = z.int().min(0);

/** The read shape of a downstream key: returned by list, get and expiry update. */
export const apiKeySummarySchema = z.strictObject({
  apiKeyId: uuidSchema,
  displayName: z.string(),
  keyPrefix: z.string(),
  status: z.enum(API_KEY_STATUSES),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
  archivedAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
});
export type ApiKeySummary = z.infer<typeof apiKeySummarySchema>;

export const apiKeyListResultSchema = z.strictObject({ apiKeys: z.array(apiKeySummarySchema) });
export type ApiKeyListResult = z.infer<typeof apiKeyListResultSchema>;

/** The only shape that ever holds a plaintext key, and it is sent exactly once. */
export const apiKeyCreateResultSchema = z.strictObject({
  apiKeyId: uuidSchema,
  displayName: z.string(),
  keyPrefix: z.string(),
  plaintextKey: z.string(),
});
export type ApiKeyCreateResult = z.infer<typeof apiKeyCreateResultSchema>;

export const apiKeyLifecycleResultSchema = z.strictObject({
  apiKeyId: uuidSchema,
  status: z.enum(['revoked', 'archived']),
});
export type ApiKeyLifecycleResult = z.infer<typeof apiKeyLifecycleResultSchema>;

export const matchedApiKeySchema = z.strictObject({
  apiKeyId: uuidSchema,
  displayName: z.string(),
  keyPrefix: z.string(),
});
export const matchedPolicySchema = z.strictObject({
  policyId: uuidSchema,
  method: z.string(),
  pathPattern: z.string(),
});
export const matchedPlanSchema = z.strictObject({ planId: uuidSchema, name: z.string() });

/** What the host's handler learns about the call: which key, policy and plan matched. */
export const accessContextSchema = z.strictObject({
  projectId: uuidSchema,
  apiKey: matchedApiKeySchema,
  policy: matchedPolicySchema,
  plan: matchedPlanSchema,
});
export type AccessContext = z.infer<typeof accessContextSchema>;

/** The counter with the least left, for the minute and for the month. Counts are requests. */
export const limitsSchema = z.strictObject({
  rateLimitPerMinute: wholeNumber,
  monthlyQuota: wholeNumber,
  remainingThisMinute: wholeNumber,
  remainingThisMonth: wholeNumber,
});
export type Limits = z.infer<typeof limitsSchema>;

/** Seconds until the UTC minute and month of `limits` end. */
export const resetAfterSecondsSchema = z.strictObject({ minute: wholeNumber, month: wholeNumber });
export type ResetAfterSeconds = z.infer<typeof resetAfterSecondsSchema>;

export const allowDecisionSchema = z.strictObject({
  allowed: z.literal(true),
  decisionId: uuidSchema,
  access: accessContextSchema,
  limits: limitsSchema,
  resetAfterSeconds: resetAfterSecondsSchema,
});
export type AllowDecision = z.infer<typeof allowDecisionSchema>;

export const denyDecisionSchema = z.strictObject({
  allowed: z.literal(false),
  decisionId: uuidSchema,
  denialReason: z.enum(DENIAL_REASONS),
  /** Only for `quota_exceeded` and `rate_limited`, like the field below. */
  limits: limitsSchema.optional(),
  /** Seconds until a retry can succeed. */
  retryAfterSeconds: wholeNumber.optional(),
});
export type DenyDecision = z.infer<typeof denyDecisionSchema>;

export const decisionSchema = z.discriminatedUnion('allowed', [
  allowDecisionSchema,
  denyDecisionSchema,
]);
export type Decision = z.infer<typeof decisionSchema>;

const hostReplyCodes = Object.keys(HOST_REPLY_MESSAGES) as HostReplyCode[];

export const gatewayAllowSchema = z.strictObject({ allowed: z.literal(true) });
export const hostReplySchema = z.strictObject({
  error: z.enum(hostReplyCodes),
  message: z.string(),
});

/** The body of an answer that a gateway may pass on to its caller: nothing of it identifies a key. */
export const forwardAuthBodySchema = z.union([gatewayAllowSchema, hostReplySchema]);
export type ForwardAuthBody = z.infer<typeof forwardAuthBodySchema>;

export const batchDecisionSchema = z.strictObject({
  status: z.literal(200),
  decision: decisionSchema,
});
export const batchErrorSchema = z.strictObject({
  status: z.literal([400, 503]),
  error: z.string(),
  message: z.string(),
});

/** The answers to a batch, in the order of its requests. */
export const authorizeBatchResultSchema = z.strictObject({
  results: z.array(z.discriminatedUnion('status', [batchDecisionSchema, batchErrorSchema])),
});
export type AuthorizeBatchResult = z.infer<typeof authorizeBatchResultSchema>;

/** The limit that refused a call: so many calls in a calendar minute or month, in UTC. */
export const exceededLimitSchema = z.strictObject({
  owner: z.enum(LIMIT_OWNERS),
  window: z.enum(['minute', 'month']),
  value: wholeNumber,
});
export type ExceededLimit = z.infer<typeof exceededLimitSchema>;

/** A decision of the log. */
export const loggedDecisionSchema = z.strictObject({
  decisionId: uuidSchema,
  at: timestamp,
  /** `x-request-id` of the call that asked. */
  requestId: z.string().nullable(),
  method: z.string(),
  /** Without its query; null while the project logs no paths. */
  path: z.string().nullable(),
  allowed: z.boolean(),
  denialReason: z.enum(DENIAL_REASONS).nullable(),
  /** Only for `expired_api_key` and `inactive_subscription`. */
  denialDetail: z.enum(DENIAL_DETAILS).nullable(),
  /** Null where the project has no such key. */
  apiKeyId: uuidSchema.nullable(),
  /** The public prefix of the credential, also of an unknown key. */
  keyPrefix: z.string().nullable(),
  policyId: uuidSchema.nullable(),
  /** As the decision returned them; null where an earlier check denied. */
  limits: limitsSchema.nullable(),
  /** Only for `quota_exceeded` and `rate_limited`. */
  exceededLimit: exceededLimitSchema.nullable(),
  /** How long the Runtime took, in ms. */
  latencyMs: wholeNumber,
});
export type LoggedDecision = z.infer<typeof loggedDecisionSchema>;

/** One page, newest first; `nextCursor` is null on the last one. */
export const decisionListResultSchema = z.strictObject({
  decisions: z.array(loggedDecisionSchema),
  nextCursor: z.string().nullable(),
});
export type DecisionListResult = z.infer<typeof decisionListResultSchema>;

/** The body of a transport error. A 500 or 503 gives no details. */
export const transportErrorSchema = z.strictObject({
  error: z.string(),
  message: z.string(),
  requestId: z.string(),
});
export type TransportErrorBody = z.infer<typeof transportErrorSchema>;

const checkState = z.enum(['ok', 'unavailable']);
export type CheckState = z.infer<typeof checkState>;

export const readinessChecksSchema = z.strictObject({
  database: checkState,
  redis: checkState,
  /** Only where the database lacks migrations of the build. */
  schema: z.literal('unavailable').optional(),
});
export const runtimeReadinessSchema = z.strictObject({
  ok: z.boolean(),
  checks: readinessChecksSchema,
});
export const runtimeVersionSchema = z.strictObject({ sha: z.string(), schema: z.string() });
