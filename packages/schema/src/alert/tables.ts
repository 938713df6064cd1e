import {
  ALERT_CONSENTS,
  ALERT_DELIVERY_STATUSES,
  ALERT_DESTINATION_KINDS,
  ALERT_DISABLED_REASONS,
  ALERT_MAIL_PURPOSES,
} from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import {
  belongsTo,
  bytea,
  createdAt,
  id,
  instant,
  namedKey,
  notNegative,
  oneOf,
} from '../columns.ts';
import { projects } from '../project/tables.ts';

/** Where a project's alerts go. */
export const alertDestinations = pgTable(
  'alert_destinations',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
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
    projectId: belongsTo('project_id', () => projects.id),
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
    eventId: belongsTo('event_id', () => alertEvents.id),
    destinationId: belongsTo('destination_id', () => alertDestinations.id),
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
    projectId: belongsTo('project_id', () => projects.id),
    addressDigest: bytea('address_digest').notNull(),
    answer: text('answer', { enum: ALERT_CONSENTS }).notNull(),
    answeredAt: instant('answered_at').notNull().defaultNow(),
  },
  (table) => [
    namedKey('alert_consents_pkey', [table.projectId, table.addressDigest]),
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
