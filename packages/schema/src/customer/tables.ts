import {
  BILLING_DAY_MAX,
  EXTERNAL_ID_BYTES_MAX,
  SUBSCRIPTION_STATUSES,
} from '@ceiba/contract/sets';
import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  pgTable,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import {
  belongsTo,
  between,
  bytewiseText,
  createdAt,
  finite,
  id,
  instant,
  limitChecks,
  limitColumns,
  metadata,
  oneOf,
  smallObject,
} from '../columns.ts';
import { customerPlans } from '../customer-plan/tables.ts';
import { projects } from '../project/tables.ts';

/** The customers of a project's owner. Keys of one customer share its limits. */
export const customers = pgTable(
  'customers',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    /** The owner's own id. */
    externalId: bytewiseText('external_id').notNull(),
    name: text('name').notNull().default(''),
    metadata: metadata(),
    /** Its keys are denied since then. */
    suspendedAt: instant('suspended_at'),
    /** Null where the customer only groups keys; then it has no status and no period. */
    planId: uuid('plan_id'),
    subscriptionStatus: text('subscription_status', { enum: SUBSCRIPTION_STATUSES }),
    /** The plan lapses at this instant; null means that it has no end. */
    currentPeriodEnd: instant('current_period_end'),
    /** The day of the month, in UTC, on which its month begins. */
    billingDay: smallint('billing_day').notNull().default(1),
    /** Its own limits, each of which replaces its plan's. */
    ...limitColumns(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('customers_project_id_external_id_key').on(table.projectId, table.externalId),
    // For the foreign key of keys, which is what keeps projects apart.
    unique('customers_project_id_id_key').on(table.projectId, table.id),
    foreignKey({
      name: 'customers_plan_fkey',
      columns: [table.projectId, table.planId],
      foreignColumns: [customerPlans.projectId, customerPlans.id],
    }),
    index('customers_project_id_created_at_idx').on(
      table.projectId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index('customers_suspended_idx')
      .on(table.projectId, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`${table.suspendedAt} is not null`),
    index('customers_plan_idx').on(table.projectId, table.planId),
    // A migration adds `customers_words_idx`, of the trigrams of external id and name, where it may: in
    // the collation of the database, because the external id has one without letters beyond ASCII.
    check(
      'customers_external_id_check',
      between(sql`octet_length(${table.externalId})`, 1, EXTERNAL_ID_BYTES_MAX),
    ),
    check('customers_metadata_check', smallObject(table.metadata)),
    check(
      'customers_plan_check',
      sql`(${table.planId} is null) = (${table.subscriptionStatus} is null)
        and (${table.planId} is not null or ${table.currentPeriodEnd} is null)`,
    ),
    check(
      'customers_subscription_status_check',
      oneOf(table.subscriptionStatus, SUBSCRIPTION_STATUSES),
    ),
    check('customers_current_period_end_check', finite(table.currentPeriodEnd)),
    check('customers_suspended_at_check', finite(table.suspendedAt)),
    check('customers_billing_day_check', between(table.billingDay, 1, BILLING_DAY_MAX)),
    ...limitChecks('customers', table),
  ],
);
