import { SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import { check, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, finite, id, instant, oneOf } from '../columns.ts';
import { plans } from '../plan/tables.ts';
import { projects } from '../project/tables.ts';

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
