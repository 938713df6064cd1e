/**
 * The closed sets of the wire, each one table. Source: the service contract, "Errors" and
 * "States and transitions". It imports nothing, so that the SDK can bundle it.
 */

/**
 * The class of invisible characters that no name needs, for a regular expression: explicit directions
 * and isolates (UAX 9), which change the direction of the text after them, and zero-width characters.
 * Marks and joiners that scripts need are not in it: LRM, RLM, ALM, ZWJ, ZWNJ.
 */
export const HIDDEN_CHARACTERS = '[\\u200B\\u2060-\\u2064\\u202A-\\u202E\\u2066-\\u206F\\uFEFF]';

/** Every reason for which a decision denies, in the order in which the checks are applied. */
export const DENIAL_REASONS = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'archived_api_key',
  'expired_api_key',
  'policy_no_match',
  'inactive_subscription',
  'quota_exceeded',
  'rate_limited',
] as const;
export type DenialReason = (typeof DENIAL_REASONS)[number];

/** The reasons that only a charge can find: a limit has no room left. */
export const LIMIT_DENIALS = ['quota_exceeded', 'rate_limited'] as const satisfies DenialReason[];
export type LimitDenial = (typeof LIMIT_DENIALS)[number];

export const isLimitDenial = (outcome: string): outcome is LimitDenial =>
  LIMIT_DENIALS.some((reason) => reason === outcome);

/**
 * Whose limit refused a call: the plan's, that of the customer's plan, the customer's own, the key's own,
 * or the project's default for keys that have no rate of their own.
 */
export const LIMIT_OWNERS = [
  'plan',
  'customer_plan',
  'customer',
  'api_key',
  'project_default',
] as const;
export type LimitOwner = (typeof LIMIT_OWNERS)[number];

/** Over what a limit counts, in UTC. */
export const LIMIT_WINDOWS = ['minute', 'day', 'month'] as const;
export type LimitWindow = (typeof LIMIT_WINDOWS)[number];

/** The outcomes of a decision; usage is counted per outcome. */
export const OUTCOMES = ['allowed', ...DENIAL_REASONS] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The status that a host answers with for each denial reason. */
export const HTTP_STATUS_FOR_DENIAL = {
  missing_api_key: 401,
  invalid_api_key: 401,
  revoked_api_key: 401,
  archived_api_key: 401,
  expired_api_key: 401,
  policy_no_match: 403,
  inactive_subscription: 403,
  quota_exceeded: 429,
  rate_limited: 429,
} as const satisfies Record<DenialReason, number>;
export type DenialStatus = (typeof HTTP_STATUS_FOR_DENIAL)[DenialReason];

/** The reasons for which a host answers with a status. */
export const denialReasonsOf = (status: DenialStatus): DenialReason[] =>
  DENIAL_REASONS.filter((reason) => HTTP_STATUS_FOR_DENIAL[reason] === status);

/** The `error` that a host answers with for each denial reason. */
export const HOST_ERROR_FOR_DENIAL = {
  missing_api_key: 'service_unauthorized',
  invalid_api_key: 'service_unauthorized',
  revoked_api_key: 'service_unauthorized',
  archived_api_key: 'service_unauthorized',
  expired_api_key: 'service_unauthorized',
  policy_no_match: 'service_forbidden',
  inactive_subscription: 'service_forbidden',
  quota_exceeded: 'service_quota_exceeded',
  rate_limited: 'service_rate_limited',
} as const satisfies Record<DenialReason, string>;
export type HostErrorCode = (typeof HOST_ERROR_FOR_DENIAL)[DenialReason];

/**
 * Which state denied a call, where the reason covers several: of the key for `expired_api_key`; whose
 * labels for `policy_no_match`, the key's or its customer's plan's; of the subscription or the customer
 * for `inactive_subscription`.
 */
export const DENIAL_DETAILS = [
  'expired',
  'disabled',
  'scope',
  'plan_scope',
  'past_due',
  'canceled',
  'period_ended',
  'no_subscription',
  'customer_suspended',
  'customer_past_due',
  'customer_canceled',
  'customer_period_ended',
] as const;
export type DenialDetail = (typeof DENIAL_DETAILS)[number];

export const API_KEY_STATUSES = ['active', 'revoked', 'archived'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export const SUBSCRIPTION_STATUSES = ['active', 'trialing', 'past_due', 'canceled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Every error code that the Runtime puts into a transport error, with its status. */
export const HTTP_STATUS_FOR_ERROR = {
  invalid_request: 400,
  unauthorized: 401,
  plan_limit_reached: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
} as const;
export type RuntimeErrorCode = keyof typeof HTTP_STATUS_FOR_ERROR;

/** A UUID in lower case, of any version, as a part of a regular expression. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** A text that is a UUID in lower case. */
export const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** The longest e-mail address, in characters. */
export const EMAIL_LENGTH_MAX = 254;

/** The longest display name, in characters. */
export const DISPLAY_NAME_LENGTH_MAX = 100;

/** A label of a policy, which opens it to restricted keys. */
export const SCOPE_PATTERN = '[a-z0-9][a-z0-9:._-]{0,63}';
/** The most labels of a policy, a key or a customer plan. */
export const SCOPES_MAX = 64;
/** What a call takes of quotas, at most. */
export const COST_MAX = 1_000_000;
/** The most bytes of an owner's own id of a customer, in UTF-8. */
export const EXTERNAL_ID_BYTES_MAX = 255;
/** The most bytes of metadata, as JSON in UTF-8. */
export const METADATA_BYTES_MAX = 4_096;
/** How long a secret may stay valid after its rotation, in seconds: 30 days. */
export const OVERLAP_SECONDS_MAX = 2_592_000;
/** A month can begin on the 1st to the 28th, which every month has. */
export const BILLING_DAY_MAX = 28;

/** The header that carries the project secret on every Runtime call but the health endpoints. */
export const PROJECT_SECRET_HEADER = 'x-service-project-secret';

/** The headers of an answer to a gateway that name the decision and its key; all values are ASCII. */
export const IDENTITY_HEADERS = {
  projectId: 'x-ceiba-project-id',
  decisionId: 'x-ceiba-decision-id',
  apiKeyId: 'x-ceiba-key-id',
  customerId: 'x-ceiba-customer-id',
  customerExternalId: 'x-ceiba-customer-external-id',
  policyId: 'x-ceiba-policy-id',
  planId: 'x-ceiba-plan-id',
  denialReason: 'x-ceiba-denial-reason',
} as const;
