import {
  DECISION_RETENTION_DAYS,
  DECISION_RETENTION_DAYS_MAX,
  DECISION_RETENTION_DAYS_MIN,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
} from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable, uuid } from 'drizzle-orm/pg-core';
import { between, bytea, digest, instant } from '../columns.ts';

const retentionDays = (column: unknown) => between(column, RETENTION_DAYS_MIN, RETENTION_DAYS_MAX);

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
    /** Whether each account needs a second factor (ADR 0065). */
    requiresSecondFactor: boolean('requires_second_factor').notNull().default(false),
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
