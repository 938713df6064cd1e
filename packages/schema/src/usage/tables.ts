import { OUTCOMES } from '@ceiba/contract/sets';
import { sql } from 'drizzle-orm';
import { bigint, check, date, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant, namedKey, notNegative, oneOf } from '../columns.ts';

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
    namedKey('usage_hours_pkey', [
      table.projectId,
      table.hour,
      table.apiKeyId,
      table.policyId,
      table.outcome,
      table.incarnation,
    ]),
    // Has no column that a flush changes, so that flushes need not write to this index.
    index('usage_hours_denials_idx')
      .on(table.projectId, table.hour)
      .where(sql`${table.outcome} <> 'allowed'`),
    check('usage_hours_count_check', notNegative(table.count)),
    check('usage_hours_outcome_check', oneOf(table.outcome, OUTCOMES)),
  ],
);

/**
 * What allowed requests cost by month, for the project (`project`), and for each customer and key (its
 * id): what a reseed reads (rule month-totals). `month` is year × 12 + month, January being 0.
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
    namedKey('usage_months_pkey', [table.projectId, table.month, table.scope, table.incarnation]),
    check('usage_months_count_check', notNegative(table.count)),
  ],
);

/**
 * What was used of quotas by day, in UTC, by the names of their scopes (`project@0`): what a reseed reads.
 * A day is counted while it is limited.
 */
export const usageQuotaDays = pgTable(
  'usage_quota_days',
  {
    projectId: uuid('project_id').notNull(),
    day: date('day').notNull(),
    scope: text('scope').notNull(),
    incarnation: text('incarnation').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
    /** When the count last grew. */
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    namedKey('usage_quota_days_pkey', [table.projectId, table.day, table.scope, table.incarnation]),
    check('usage_quota_days_count_check', notNegative(table.count)),
  ],
);

/** What allowed calls cost more than one, and less. */
export const COST_KINDS = ['surplus', 'free'] as const;

/**
 * Where the cost of a key's allowed calls in an hour differs from their number: `surplus` is what calls
 * cost more than one, and `free` how many cost nothing. A Runtime counts it in memory (rule denial-counts).
 */
export const usageCostHours = pgTable(
  'usage_cost_hours',
  {
    projectId: uuid('project_id').notNull(),
    hour: instant('hour').notNull(),
    apiKeyId: uuid('api_key_id').notNull(),
    kind: text('kind', { enum: COST_KINDS }).notNull(),
    incarnation: text('incarnation').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [
    namedKey('usage_cost_hours_pkey', [
      table.projectId,
      table.hour,
      table.apiKeyId,
      table.kind,
      table.incarnation,
    ]),
    check('usage_cost_hours_count_check', notNegative(table.count)),
    check('usage_cost_hours_kind_check', oneOf(table.kind, COST_KINDS)),
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
    namedKey('usage_rolled_days_pkey', [table.projectId, table.day]),
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
  (table) => [namedKey('usage_outcome_hours_pkey', [table.projectId, table.hour, table.outcome])],
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
  (table) => [namedKey('usage_outcome_days_pkey', [table.projectId, table.day, table.outcome])],
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
  (table) => [namedKey('usage_policy_days_pkey', [table.projectId, table.day, table.policyId])],
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
    namedKey('usage_key_days_pkey', [table.projectId, table.day, table.apiKeyId]),
    index('usage_key_days_largest_idx')
      .on(table.projectId, table.day)
      .where(sql`${table.rank} <= ${sql.raw(String(KEYS_PER_DAY_MAX))}`),
  ],
);
