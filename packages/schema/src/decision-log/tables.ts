import type { Limits } from '@ceiba/contract';
import { DENIAL_DETAILS, LIMIT_OWNERS, LIMIT_WINDOWS, OUTCOMES } from '@ceiba/contract/sets';
import { LOGGED_PATH_BYTES_MAX } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytewiseText, instant, namedKey, notNegative, oneOf, quota } from '../columns.ts';

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
    /** The customer that the key had then. */
    customerId: uuid('customer_id'),
    /** The public prefix of the credential, also of an unknown key; null where it has none. */
    keyPrefix: text('key_prefix'),
    /** Whether it was the secret that a rotation has replaced, within its overlap; null is no. */
    byPreviousSecret: boolean('by_previous_secret'),
    /** The policy that matched; it may have been deleted since. */
    policyId: uuid('policy_id'),
    /** What the charge answered; null where an earlier check denied. */
    limits: jsonb('limits').$type<Limits>(),
    /** Whose limit refused the call; null where none did. */
    limitOwner: text('limit_owner', { enum: LIMIT_OWNERS }),
    limitWindow: text('limit_window', { enum: LIMIT_WINDOWS }),
    limitValue: quota('limit_value'),
    /** How long the Runtime took, in whole ms. */
    latencyMs: integer('latency_ms').notNull(),
  },
  (table) => [
    namedKey('decisions_pkey', [table.projectId, table.at, table.decisionId]),
    index('decisions_denied_idx')
      .on(table.projectId, table.at, table.decisionId)
      .where(sql`${table.outcome} <> 'allowed'`),
    index('decisions_outcome_idx').on(table.projectId, table.outcome, table.at, table.decisionId),
    index('decisions_method_idx').on(table.projectId, table.method, table.at, table.decisionId),
    index('decisions_api_key_id_idx')
      .on(table.projectId, table.apiKeyId, table.at, table.decisionId)
      .where(sql`${table.apiKeyId} is not null`),
    index('decisions_customer_id_idx')
      .on(table.projectId, table.customerId, table.at, table.decisionId)
      .where(sql`${table.customerId} is not null`),
    index('decisions_request_id_idx')
      .on(table.projectId, table.requestId, table.at, table.decisionId)
      .where(sql`${table.requestId} is not null`),
    index('decisions_path_idx')
      .on(table.projectId, table.path, table.at, table.decisionId)
      .where(sql`${table.path} is not null`),
    check('decisions_outcome_check', oneOf(table.outcome, OUTCOMES)),
    check('decisions_limit_owner_check', oneOf(table.limitOwner, LIMIT_OWNERS)),
    check('decisions_limit_window_check', oneOf(table.limitWindow, LIMIT_WINDOWS)),
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
    namedKey('decision_gaps_pkey', [
      table.projectId,
      table.minute,
      table.outcome,
      table.incarnation,
    ]),
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
    namedKey('decision_failures_pkey', [
      table.projectId,
      table.minute,
      table.cause,
      table.incarnation,
    ]),
    index('decision_failures_minute_idx').on(table.minute),
    check('decision_failures_failed_check', notNegative(table.failed)),
  ],
);
