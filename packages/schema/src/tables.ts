import type { Limits } from '@ceiba/contract';
import {
  API_KEY_STATUSES,
  DENIAL_DETAILS,
  LIMIT_OWNERS,
  OUTCOMES,
  SUBSCRIPTION_STATUSES,
} from '@ceiba/contract/sets';
import {
  ALERT_CONSENTS,
  ALERT_DELIVERY_STATUSES,
  ALERT_DESTINATION_KINDS,
  ALERT_DISABLED_REASONS,
  ALERT_MAIL_PURPOSES,
  API_KEY_NOTE_LENGTH_MAX,
  CHALLENGE_PURPOSES,
  DECISION_RETENTION_DAYS,
  DECISION_RETENTION_DAYS_MAX,
  DECISION_RETENTION_DAYS_MIN,
  eachLimit,
  LOGGED_PATH_BYTES_MAX,
  listLimits,
  MEMBER_ROLES,
  PASSWORD_RESET_RECIPIENTS,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
} from '@ceiba/domain';
import { type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  type ExtraConfigColumn,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

/**
 * Every table, with the constraints that hold for every writer. Times are compared by Postgres's
 * clock; infinite timestamps are refused because JavaScript cannot represent them (rule
 * database-time).
 */

const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
/** Compared byte by byte, so that an index finds the texts that begin with a prefix. */
const bytewiseText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const createdAt = () => instant('created_at').notNull().defaultNow();
const id = () => uuid('id').primaryKey().defaultRandom();

const oneOf = (column: SQL.Aliased | unknown, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;
const finite = (column: unknown) => sql`isfinite(${column})`;
const digest = (column: unknown) => sql`octet_length(${column}) = 32`;
const notNegative = (column: unknown) => sql`${column} >= 0`;

const lengthAtMost = (column: unknown, most: number) =>
  sql`char_length(${column}) <= ${sql.raw(String(most))}`;
const between = (column: unknown, least: number, most: number) =>
  sql`${column} between ${sql.raw(`${least} and ${most}`)}`;
const retentionDays = (column: unknown) => between(column, RETENTION_DAYS_MIN, RETENTION_DAYS_MAX);

/** One row per Runtime. Renewing it proves that the server can commit (rule primary-lease). */
export const runtimeLeases = pgTable('runtime_leases', {
  /** Random, one per process. */
  id: text('id').primaryKey(),
  renewedAt: instant('renewed_at').notNull().defaultNow(),
});

export const users = pgTable(
  'users',
  {
    id: id(),
    email: text('email').notNull(),
    /** Argon2id in PHC form; null for a user who signs in through a provider only. */
    passwordHash: text('password_hash'),
    isAdministrator: boolean('is_administrator').notNull().default(false),
    /** Incremented to sign a user out everywhere; sessions with an older version are void. */
    sessionVersion: integer('session_version').notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('users_email_key').on(sql`lower(${table.email})`)],
);

export const plans = pgTable(
  'plans',
  {
    id: id(),
    name: text('name').notNull().unique('plans_name_key'),
    activeKeyCap: integer('active_key_cap').notNull(),
    ...eachLimit((_, { column }) => integer(column).notNull()),
    createdAt: createdAt(),
  },
  (table) => [
    check('plans_active_key_cap_check', notNegative(table.activeKeyCap)),
    ...listLimits((limit, { column }) => check(`plans_${column}_check`, notNegative(table[limit]))),
  ],
);

export const projects = pgTable(
  'projects',
  {
    id: id(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    secretDigest: bytea('secret_digest').notNull(),
    secretCreatedAt: instant('secret_created_at').notNull().defaultNow(),
    /** Accepted as well as the current secret until it expires, 24 hours after the rotation. */
    previousSecretDigest: bytea('previous_secret_digest'),
    previousSecretExpiresAt: instant('previous_secret_expires_at'),
    /** The rate of keys that have none of their own; null leaves them to the plan's limit. */
    defaultKeyRateLimitPerMinute: integer('default_key_rate_limit_per_minute'),
    /** How many of a hundred allowed decisions the decision log keeps. Denials are all kept. */
    loggedAllowsPercent: integer('logged_allows_percent').notNull().default(1),
    /** Whether the decision log keeps paths. */
    logsPaths: boolean('logs_paths').notNull().default(true),
    /** What `decision_revisions` is to this release, for the previous one. */
    policyRevision: uuid('policy_revision').notNull().defaultRandom(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('projects_owner_id_name_key').on(table.ownerId, table.name),
    check('projects_secret_digest_check', digest(table.secretDigest)),
    check('projects_previous_secret_digest_check', digest(table.previousSecretDigest)),
    check('projects_previous_secret_expires_at_check', finite(table.previousSecretExpiresAt)),
    check('projects_default_key_rate_check', notNegative(table.defaultKeyRateLimitPerMinute)),
    check('projects_logged_allows_percent_check', between(table.loggedAllowsPercent, 0, 100)),
  ],
);

/** The users who may work in a project, apart from its owner, who is `projects.owner_id`. */
export const projectMembers = pgTable(
  'project_members',
  {
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role', { enum: MEMBER_ROLES }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: 'project_members_pkey', columns: [table.projectId, table.userId] }),
    index('project_members_user_id_idx').on(table.userId),
    check('project_members_role_check', oneOf(table.role, MEMBER_ROLES)),
  ],
);

/** Invitations that were neither accepted nor revoked; accepting one deletes it. */
export const projectInvitations = pgTable(
  'project_invitations',
  {
    id: id(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    role: text('role', { enum: MEMBER_ROLES }).notNull(),
    /** The owner's note on who it is for. */
    label: text('label').notNull(),
    /** SHA-256 of the whole invitation. */
    tokenDigest: bytea('token_digest').notNull().unique('project_invitations_token_digest_key'),
    invitedBy: uuid('invited_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('project_invitations_project_id_idx').on(table.projectId),
    index('project_invitations_invited_by_idx').on(table.invitedBy),
    check('project_invitations_role_check', oneOf(table.role, MEMBER_ROLES)),
    check('project_invitations_token_digest_check', digest(table.tokenDigest)),
    check('project_invitations_expires_at_check', finite(table.expiresAt)),
  ],
);

export const subscriptions = pgTable(
  'subscriptions',
  {
    id: id(),
    projectId: uuid('project_id')
      .notNull()
      .unique('subscriptions_project_id_key')
      .references(() => projects.id, { onDelete: 'cascade' }),
    planId: uuid('plan_id')
      .notNull()
      .references(() => plans.id),
    status: text('status', { enum: SUBSCRIPTION_STATUSES }).notNull().default('active'),
    /** The subscription lapses at this instant; null means that it has no end. */
    currentPeriodEnd: instant('current_period_end'),
    createdAt: createdAt(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    check('subscriptions_status_check', oneOf(table.status, SUBSCRIPTION_STATUSES)),
    check('subscriptions_current_period_end_check', finite(table.currentPeriodEnd)),
  ],
);

export const policies = pgTable(
  'policies',
  {
    id: id(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** One HTTP method, or `*`. */
    method: text('method').notNull(),
    /** In normal form, as the domain's `parsePathPattern` returns it. */
    pathPattern: text('path_pattern').notNull(),
    createdAt: createdAt(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('policies_project_id_method_path_pattern_key').on(
      table.projectId,
      table.method,
      table.pathPattern,
    ),
  ],
);

/**
 * The revision of what decisions keep of a project, as the `bit_xor` of its rows. A change of its
 * policies appends one and changes none (rule policy-revision).
 */
export const decisionRevisions = pgTable(
  'decision_revisions',
  {
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    r: bigint('r', { mode: 'bigint' })
      .notNull()
      .default(sql`uuid_hash_extended(gen_random_uuid(), 0)`),
  },
  (table) => [primaryKey({ name: 'decision_revisions_pkey', columns: [table.projectId, table.r] })],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    displayName: text('display_name').notNull(),
    keyPrefix: text('key_prefix').notNull(),
    /** SHA-256 of the whole key (ADR 0001). */
    keyDigest: bytea('key_digest').notNull(),
    status: text('status', { enum: API_KEY_STATUSES }).notNull().default('active'),
    createdAt: createdAt(),
    expiresAt: instant('expires_at'),
    /** Set by a trigger when the status changes, as is archivedAt. */
    revokedAt: instant('revoked_at'),
    archivedAt: instant('archived_at'),
    lastUsedAt: instant('last_used_at'),
    /** Denied since then, until it is enabled; the status stays active (ADR 0028). */
    disabledAt: instant('disabled_at'),
    /** Text of the project's users, which no decision returns. */
    note: text('note').notNull().default(''),
    /** The key's own limits, in addition to the plan's; null means none. */
    ...eachLimit((_, { column }) => integer(column)),
  },
  (table) => [
    unique('api_keys_project_id_key_digest_key').on(table.projectId, table.keyDigest),
    index('api_keys_project_id_created_at_idx').on(
      table.projectId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index('api_keys_active_idx').on(table.projectId).where(sql`${table.status} = 'active'`),
    // A migration adds `api_keys_words_idx`, of the trigrams of name and note, where it may.
    index('api_keys_prefix_idx').on(table.projectId, sql`${table.keyPrefix} collate "C"`),
    check('api_keys_key_digest_check', digest(table.keyDigest)),
    check('api_keys_status_check', oneOf(table.status, API_KEY_STATUSES)),
    check('api_keys_expires_at_check', finite(table.expiresAt)),
    check('api_keys_disabled_at_check', finite(table.disabledAt)),
    check('api_keys_note_check', lengthAtMost(table.note, API_KEY_NOTE_LENGTH_MAX)),
    ...listLimits((limit, { column }) =>
      check(`api_keys_${column}_check`, notNegative(table[limit])),
    ),
  ],
);

/** The nil UUID: in usage rows, no key or no policy. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Decisions by hour. `count` is the total of its incarnation, so that writing it again changes
 * nothing (rules absolute-usage and confirmed-flush). There are no foreign keys: a join drops a
 * late flush of a deleted project without an error.
 */
export const usageHours = pgTable(
  'usage_hours',
  {
    projectId: uuid('project_id').notNull(),
    hour: instant('hour').notNull(),
    apiKeyId: uuid('api_key_id').notNull(),
    policyId: uuid('policy_id').notNull(),
    outcome: text('outcome', { enum: OUTCOMES }).notNull(),
    incarnation: text('incarnation').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      name: 'usage_hours_pkey',
      columns: [
        table.projectId,
        table.hour,
        table.apiKeyId,
        table.policyId,
        table.outcome,
        table.incarnation,
      ],
    }),
    // Has no column that a flush changes, so that flushes need not write to this index.
    index('usage_hours_denials_idx')
      .on(table.projectId, table.hour)
      .where(sql`${table.outcome} <> 'allowed'`),
    check('usage_hours_count_check', notNegative(table.count)),
    check('usage_hours_outcome_check', oneOf(table.outcome, OUTCOMES)),
  ],
);

/**
 * Allowed requests by month, for the project (`project`) and for each key (its id): what a reseed
 * reads (rule month-totals). `month` is year × 12 + month, January being 0.
 */
export const usageMonths = pgTable(
  'usage_months',
  {
    projectId: uuid('project_id').notNull(),
    month: integer('month').notNull(),
    scope: text('scope').notNull(),
    incarnation: text('incarnation').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    /** When the count last grew. */
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: 'usage_months_pkey',
      columns: [table.projectId, table.month, table.scope, table.incarnation],
    }),
    check('usage_months_count_check', notNegative(table.count)),
  ],
);

/**
 * Days in UTC whose decisions are added up in the four tables below. Days that are missing, or whose
 * `rolledAt` is null, are read from `usage_hours`; so totals are faster and never wrong
 * (`usage/roll-up.ts`).
 */
export const usageRolledDays = pgTable(
  'usage_rolled_days',
  {
    projectId: uuid('project_id').notNull(),
    day: date('day').notNull(),
    rolledAt: instant('rolled_at'),
    /** How many writes came after the day was inserted here. */
    lateWrites: integer('late_writes').notNull().default(0),
  },
  (table) => [
    primaryKey({ name: 'usage_rolled_days_pkey', columns: [table.projectId, table.day] }),
    index('usage_rolled_days_pending_idx')
      .on(table.projectId, table.day)
      .where(sql`${table.rolledAt} is null`),
  ],
);

/** The decisions of an hour by outcome, over all keys and policies. */
export const usageOutcomeHours = pgTable(
  'usage_outcome_hours',
  {
    projectId: uuid('project_id').notNull(),
    hour: instant('hour').notNull(),
    outcome: text('outcome', { enum: OUTCOMES }).notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      name: 'usage_outcome_hours_pkey',
      columns: [table.projectId, table.hour, table.outcome],
    }),
  ],
);

/** The decisions of a day by outcome, over all keys and policies. */
export const usageOutcomeDays = pgTable(
  'usage_outcome_days',
  {
    projectId: uuid('project_id').notNull(),
    day: date('day').notNull(),
    outcome: text('outcome', { enum: OUTCOMES }).notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      name: 'usage_outcome_days_pkey',
      columns: [table.projectId, table.day, table.outcome],
    }),
  ],
);

/** The decisions of a day by the policy that matched. */
export const usagePolicyDays = pgTable(
  'usage_policy_days',
  {
    projectId: uuid('project_id').notNull(),
    day: date('day').notNull(),
    policyId: uuid('policy_id').notNull(),
    allowed: bigint('allowed', { mode: 'number' }).notNull(),
    denied: bigint('denied', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      name: 'usage_policy_days_pkey',
      columns: [table.projectId, table.day, table.policyId],
    }),
  ],
);

/**
 * How many keys per day are indexed as the largest. The largest of a longer time are found among
 * these: a key that is one of them on no day is not found.
 */
export const KEYS_PER_DAY_MAX = 50;

/** The decisions of a day by key. */
export const usageKeyDays = pgTable(
  'usage_key_days',
  {
    projectId: uuid('project_id').notNull(),
    day: date('day').notNull(),
    apiKeyId: uuid('api_key_id').notNull(),
    allowed: bigint('allowed', { mode: 'number' }).notNull(),
    denied: bigint('denied', { mode: 'number' }).notNull(),
    /** Its rank among the project's keys by the day's allowed requests, from 1. */
    rank: integer('rank').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'usage_key_days_pkey',
      columns: [table.projectId, table.day, table.apiKeyId],
    }),
    index('usage_key_days_largest_idx')
      .on(table.projectId, table.day)
      .where(sql`${table.rank} <= ${sql.raw(String(KEYS_PER_DAY_MAX))}`),
  ],
);

/**
 * The decision log: denials, and a sample of the allows. Partitioned by day in UTC, so that retention
 * drops partitions (`decision-log/partitions.ts`); an ORM cannot express that, and the migration
 * declares it. `at` is the time in the decision's id, a UUID of version 7, so both have one order.
 * There are no foreign keys: a join drops a late flush of a deleted project.
 */
export const decisions = pgTable(
  'decisions',
  {
    projectId: uuid('project_id').notNull(),
    /** To the ms. */
    at: instant('at').notNull(),
    /** A UUID of version 7. */
    decisionId: uuid('decision_id').notNull(),
    /** `x-request-id` of the call that asked. */
    requestId: text('request_id'),
    method: text('method').notNull(),
    /** Canonical where it has a canonical form, never with a query; null where none was kept. */
    path: bytewiseText('path'),
    outcome: text('outcome', { enum: OUTCOMES }).notNull(),
    /** Which state denied; null where the reason says it all, or where it was not kept. */
    denialDetail: text('denial_detail', { enum: DENIAL_DETAILS }),
    /** Null where the project has no such key. */
    apiKeyId: uuid('api_key_id'),
    /** The public prefix of the credential, also of an unknown key; null where it has none. */
    keyPrefix: text('key_prefix'),
    /** The policy that matched; it may have been deleted since. */
    policyId: uuid('policy_id'),
    /** What the charge answered; null where an earlier check denied. */
    limits: jsonb('limits').$type<Limits>(),
    /** Whose limit refused the call; null where none did. */
    limitOwner: text('limit_owner', { enum: LIMIT_OWNERS }),
    /** How long the Runtime took, in whole ms. */
    latencyMs: integer('latency_ms').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'decisions_pkey',
      columns: [table.projectId, table.at, table.decisionId],
    }),
    index('decisions_denied_idx')
      .on(table.projectId, table.at, table.decisionId)
      .where(sql`${table.outcome} <> 'allowed'`),
    index('decisions_outcome_idx').on(table.projectId, table.outcome, table.at, table.decisionId),
    index('decisions_method_idx').on(table.projectId, table.method, table.at, table.decisionId),
    index('decisions_api_key_id_idx')
      .on(table.projectId, table.apiKeyId, table.at, table.decisionId)
      .where(sql`${table.apiKeyId} is not null`),
    index('decisions_request_id_idx')
      .on(table.projectId, table.requestId, table.at, table.decisionId)
      .where(sql`${table.requestId} is not null`),
    index('decisions_path_idx')
      .on(table.projectId, table.path, table.at, table.decisionId)
      .where(sql`${table.path} is not null`),
    check('decisions_outcome_check', oneOf(table.outcome, OUTCOMES)),
    check('decisions_limit_owner_check', oneOf(table.limitOwner, LIMIT_OWNERS)),
    check('decisions_denial_detail_check', oneOf(table.denialDetail, DENIAL_DETAILS)),
    // An entry of an index cannot be longer than a third of a page.
    check(
      'decisions_path_check',
      sql`octet_length(${table.path}) <= ${sql.raw(String(LOGGED_PATH_BYTES_MAX))}`,
    ),
  ],
);

/**
 * How many decisions of a minute are missing from the decision log, by outcome. Like usage, the
 * number is the total of its incarnation, here a Runtime process (ADR 0004).
 */
export const decisionGaps = pgTable(
  'decision_gaps',
  {
    projectId: uuid('project_id').notNull(),
    minute: instant('minute').notNull(),
    outcome: text('outcome', { enum: OUTCOMES }).notNull(),
    incarnation: text('incarnation').notNull(),
    leftOut: bigint('left_out', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      name: 'decision_gaps_pkey',
      columns: [table.projectId, table.minute, table.outcome, table.incarnation],
    }),
    check('decision_gaps_outcome_check', oneOf(table.outcome, OUTCOMES)),
    check('decision_gaps_left_out_check', notNegative(table.leftOut)),
  ],
);

/** How many decisions of a minute the Runtime answered with 503, as the total of an incarnation. */
export const decisionFailures = pgTable(
  'decision_failures',
  {
    projectId: uuid('project_id').notNull(),
    minute: instant('minute').notNull(),
    /** The dependency that failed, or `overload`. */
    cause: text('cause').notNull(),
    incarnation: text('incarnation').notNull(),
    failed: bigint('failed', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({
      name: 'decision_failures_pkey',
      columns: [table.projectId, table.minute, table.cause, table.incarnation],
    }),
    index('decision_failures_minute_idx').on(table.minute),
    check('decision_failures_failed_check', notNegative(table.failed)),
  ],
);

/** Where a project's alerts go. */
export const alertDestinations = pgTable(
  'alert_destinations',
  {
    id: id(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: ALERT_DESTINATION_KINDS }).notNull(),
    /** A URL or a mail address. A URL may hold a token, so only those who may change it see it. */
    address: text('address').notNull(),
    description: text('description').notNull(),
    eventTypes: text('event_types').array().notNull(),
    /** Of a webhook, as it is: signing needs the secret itself (ADR 0031). */
    signingSecret: bytea('signing_secret'),
    /** Signs as well until it expires, 24 hours after the rotation. */
    previousSecret: bytea('previous_secret'),
    previousSecretExpiresAt: instant('previous_secret_expires_at'),
    createdAt: createdAt(),
    disabledAt: instant('disabled_at'),
    disabledReason: text('disabled_reason', { enum: ALERT_DISABLED_REASONS }),
    /** When the first attempt failed since the last one that succeeded. */
    failingSince: instant('failing_since'),
  },
  (table) => [
    index('alert_destinations_project_id_idx').on(table.projectId),
    check('alert_destinations_kind_check', oneOf(table.kind, ALERT_DESTINATION_KINDS)),
    check(
      'alert_destinations_signing_secret_check',
      sql`(${table.kind} = 'webhook') = (${table.signingSecret} is not null)`,
    ),
    check(
      'alert_destinations_disabled_reason_check',
      oneOf(table.disabledReason, ALERT_DISABLED_REASONS),
    ),
    check(
      'alert_destinations_disabled_at_check',
      sql`(${table.disabledAt} is null) = (${table.disabledReason} is null)`,
    ),
  ],
);

/**
 * The outbox: each alert once, written in the transaction of the change that it reports, or by the
 * process that first detects it.
 */
export const alertEvents = pgTable(
  'alert_events',
  {
    /** The `webhook-id`. */
    id: id(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    type: text('type').notNull(),
    /** What it is about and in which period, such as a month and a threshold. */
    subject: text('subject').notNull(),
    data: jsonb('data').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('alert_events_project_id_type_subject_key').on(
      table.projectId,
      table.type,
      table.subject,
    ),
    index('alert_events_created_at_idx').on(table.createdAt),
  ],
);

/** One alert to one destination. */
export const alertDeliveries = pgTable(
  'alert_deliveries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    eventId: uuid('event_id')
      .notNull()
      .references(() => alertEvents.id, { onDelete: 'cascade' }),
    destinationId: uuid('destination_id')
      .notNull()
      .references(() => alertDestinations.id, { onDelete: 'cascade' }),
    status: text('status', { enum: ALERT_DELIVERY_STATUSES }).notNull().default('pending'),
    /** Those that were begun; a process that ends within one leaves it counted. */
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    /** While an attempt is under way, no other process begins one. */
    claimedUntil: instant('claimed_until'),
    lastAttemptAt: instant('last_attempt_at'),
    /** The last answer: a status of HTTP or a reply code of SMTP; null without one. */
    lastStatus: integer('last_status'),
    /** Why the last attempt failed, in words of ours; never text of the receiver. */
    lastError: text('last_error'),
  },
  (table) => [
    unique('alert_deliveries_event_id_destination_id_key').on(table.eventId, table.destinationId),
    index('alert_deliveries_destination_id_idx').on(table.destinationId, table.id),
    index('alert_deliveries_due_idx')
      .on(table.destinationId, table.nextAttemptAt)
      .where(sql`${table.status} = 'pending'`),
    index('alert_deliveries_claimed_idx')
      .on(table.destinationId)
      .where(sql`${table.claimedUntil} is not null`),
    index('alert_deliveries_last_attempt_at_idx').on(table.destinationId, table.lastAttemptAt),
    check('alert_deliveries_status_check', oneOf(table.status, ALERT_DELIVERY_STATUSES)),
    check('alert_deliveries_attempts_check', notNegative(table.attempts)),
  ],
);

/**
 * The attempts of the last minute and those under way. A row outlives its destination and its project,
 * which a user can delete and create again: what it counts for is the owner's.
 */
export const alertAttempts = pgTable(
  'alert_attempts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    ownerId: uuid('owner_id').notNull(),
    destinationId: uuid('destination_id').notNull(),
    startedAt: instant('started_at').notNull().defaultNow(),
    /** In the future while it is under way: if its process ends, its place is free then. */
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [index('alert_attempts_ends_at_idx').on(table.endsAt)],
);

/**
 * What an address answered to the mails of a project. By digest of the address, not by destination:
 * the answer holds for a destination that is deleted and added again.
 */
export const alertConsents = pgTable(
  'alert_consents',
  {
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    addressDigest: bytea('address_digest').notNull(),
    answer: text('answer', { enum: ALERT_CONSENTS }).notNull(),
    answeredAt: instant('answered_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: 'alert_consents_pkey',
      columns: [table.projectId, table.addressDigest],
    }),
    check('alert_consents_answer_check', oneOf(table.answer, ALERT_CONSENTS)),
  ],
);

/** The addresses that refused a request for confirmation: no project asks them again. */
export const alertRefusals = pgTable('alert_refusals', {
  addressDigest: bytea('address_digest').primaryKey(),
  refusedAt: instant('refused_at').notNull().defaultNow(),
});

/**
 * The alert mails of the last 60 days, which their links name and limits count. Without foreign keys,
 * like `alertAttempts`.
 */
export const alertMails = pgTable(
  'alert_mails',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** SHA-256 of the link's token. */
    tokenDigest: bytea('token_digest').notNull(),
    purpose: text('purpose', { enum: ALERT_MAIL_PURPOSES }).notNull(),
    ownerId: uuid('owner_id').notNull(),
    projectId: uuid('project_id').notNull(),
    addressDigest: bytea('address_digest').notNull(),
    sentAt: instant('sent_at').notNull().defaultNow(),
  },
  (table) => [
    unique('alert_mails_token_digest_key').on(table.tokenDigest),
    index('alert_mails_address_digest_idx').on(table.addressDigest, table.sentAt),
    index('alert_mails_owner_id_idx').on(table.ownerId, table.sentAt),
    index('alert_mails_sent_at_idx').on(table.sentAt),
    check('alert_mails_purpose_check', oneOf(table.purpose, ALERT_MAIL_PURPOSES)),
  ],
);

const newestFirst = (table: { at: ExtraConfigColumn; id: ExtraConfigColumn }) =>
  [table.at.desc().nullsFirst(), table.id.desc().nullsFirst()] as const;

/** Who changed what, when and from where. Written in the transaction of the change. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant('at').notNull().defaultNow(),
    /** Kept when the project is deleted, hence no foreign key. */
    ownerId: uuid('owner_id'),
    projectId: uuid('project_id'),
    actorKind: text('actor_kind').notNull(),
    actorId: uuid('actor_id'),
    actorLabel: text('actor_label').notNull(),
    action: text('action').notNull(),
    targetKind: text('target_kind').notNull(),
    targetId: text('target_id').notNull(),
    targetLabel: text('target_label'),
    clientAddress: text('client_address'),
    requestId: text('request_id'),
    before: jsonb('before'),
    after: jsonb('after'),
  },
  (table) => [
    index('audit_log_project_id_at_idx').on(table.projectId, ...newestFirst(table)),
    index('audit_log_owner_id_at_idx').on(table.ownerId, ...newestFirst(table)),
    index('audit_log_project_id_target_id_at_idx').on(
      table.projectId,
      table.targetId,
      ...newestFirst(table),
    ),
    index('audit_log_at_idx').on(...newestFirst(table)),
  ],
);

/**
 * A user's identity at a provider. Never linked to a user by e-mail alone: at a provider, an address
 * may belong to another person.
 */
export const identities = pgTable(
  'identities',
  {
    /** A provider's name, or an OpenID issuer's URL: subjects are unique per issuer. */
    provider: text('provider').notNull(),
    subject: text('subject').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: 'identities_pkey', columns: [table.provider, table.subject] }),
    index('identities_user_id_idx').on(table.userId),
  ],
);

/** One sign-in in one browser. A cookie without its row, or with an older version, is invalid. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The user's session version when the session started. */
    sessionVersion: integer('session_version').notNull(),
    /** From where it was started, and with which browser, for its user's list. */
    clientAddress: text('client_address'),
    userAgent: text('user_agent'),
    /** Written at most every five minutes. */
    lastSeenAt: instant('last_seen_at'),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('sessions_user_id_idx').on(table.userId),
    check('sessions_expires_at_check', finite(table.expiresAt)),
  ],
);

/** The link with which a user sets a forgotten password. One per user: a new one ends the old. */
export const passwordResets = pgTable(
  'password_resets',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** One link each, so that a stranger who asks for a mail does not end that of an administrator. */
    sentTo: text('sent_to', { enum: PASSWORD_RESET_RECIPIENTS }).notNull().default('administrator'),
    /** The administrator, with whose role the link ends; null for a mailed one. */
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'cascade' }),
    tokenDigest: bytea('token_digest').notNull().unique('password_resets_token_digest_key'),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'password_resets_pkey', columns: [table.userId, table.sentTo] }),
    index('password_resets_created_by_idx').on(table.createdBy),
    check('password_resets_sent_to_check', oneOf(table.sentTo, PASSWORD_RESET_RECIPIENTS)),
    check('password_resets_token_digest_check', digest(table.tokenDigest)),
    check('password_resets_expires_at_check', finite(table.expiresAt)),
  ],
);

/** A user's authenticator app, the second factor after the password (ADR 0030). */
export const authenticators = pgTable('authenticators', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The secret that the app shares, encrypted with a key that is not in the database. */
  sealedSecret: bytea('sealed_secret').notNull(),
  /** When the first code proved that the app has the secret; null until then. */
  confirmedAt: instant('confirmed_at'),
  /** The time step of the last code that was accepted: none is accepted twice. */
  lastStep: bigint('last_step', { mode: 'number' }),
  createdAt: createdAt(),
});

/** What a user types in place of a code of the lost app; each works once and is then deleted. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    codeDigest: bytea('code_digest').notNull(),
  },
  (table) => [
    primaryKey({ name: 'recovery_codes_pkey', columns: [table.userId, table.codeDigest] }),
    check('recovery_codes_code_digest_check', digest(table.codeDigest)),
  ],
);

/** The public half of a passkey. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** In base64url, as browsers name it. */
    credentialId: text('credential_id').notNull().unique('passkeys_credential_id_key'),
    publicKey: bytea('public_key').notNull(),
    /** Of the last signature; 0 where the authenticator does not count. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    /** Whether its provider keeps a copy. */
    isBackedUp: boolean('is_backed_up').notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant('last_used_at'),
  },
  (table) => [
    index('passkeys_user_id_idx').on(table.userId),
    check('passkeys_counter_check', notNegative(table.counter)),
  ],
);

/** What is between two requests of one sign-in. Its token is in a cookie of that browser. */
export const signInChallenges = pgTable(
  'sign_in_challenges',
  {
    tokenDigest: bytea('token_digest').primaryKey(),
    purpose: text('purpose', { enum: CHALLENGE_PURPOSES }).notNull(),
    /** Null for a sign-in with a passkey, which itself names its user. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The user's session version when the password was checked. */
    sessionVersion: integer('session_version'),
    /** What a passkey has to sign, in base64url. */
    challenge: text('challenge'),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('sign_in_challenges_user_id_idx').on(table.userId),
    index('sign_in_challenges_expires_at_idx').on(table.expiresAt),
    check('sign_in_challenges_token_digest_check', digest(table.tokenDigest)),
    check('sign_in_challenges_purpose_check', oneOf(table.purpose, CHALLENGE_PURPOSES)),
    check('sign_in_challenges_expires_at_check', finite(table.expiresAt)),
  ],
);

/**
 * Sign-in attempts per window, counted before any password is hashed, and the networks from which an
 * account's user signed in (`known_network`, whose count is 0).
 */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    /** What is limited, such as `account`, and its subject: a digest or a network address. */
    scope: text('scope').notNull(),
    subject: text('subject').notNull(),
    count: integer('count').notNull(),
    windowEndsAt: instant('window_ends_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'sign_in_attempts_pkey', columns: [table.scope, table.subject] }),
    index('sign_in_attempts_window_ends_at_idx').on(table.windowEndsAt),
    check('sign_in_attempts_window_ends_at_check', finite(table.windowEndsAt)),
  ],
);

/** Settings of the installation: one row, or none until something is set or its ID is first read. */
export const settings = pgTable(
  'settings',
  {
    id: boolean('id').primaryKey().default(true),
    /** Days for which usage is kept; null keeps it. */
    usageRetentionDays: integer('usage_retention_days'),
    /** Days for which the audit log is kept; null keeps it. */
    auditRetentionDays: integer('audit_retention_days'),
    /** Days for which the decision log is kept. */
    decisionRetentionDays: integer('decision_retention_days')
      .notNull()
      .default(DECISION_RETENTION_DAYS),
    /** Names this installation, also in its cookies; every replica reads the same. */
    installationId: uuid('installation_id').notNull().defaultRandom(),
    /** Of the token that creates the first administrator; null once there is one (ADR 0042). */
    setupTokenDigest: bytea('setup_token_digest'),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    check('settings_setup_token_digest_check', digest(table.setupTokenDigest)),
    check('settings_one_row_check', sql`${table.id}`),
    check('settings_usage_retention_days_check', retentionDays(table.usageRetentionDays)),
    check('settings_audit_retention_days_check', retentionDays(table.auditRetentionDays)),
    check(
      'settings_decision_retention_days_check',
      between(
        table.decisionRetentionDays,
        DECISION_RETENTION_DAYS_MIN,
        DECISION_RETENTION_DAYS_MAX,
      ),
    ),
  ],
);
