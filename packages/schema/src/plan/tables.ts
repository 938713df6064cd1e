import { check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, id, limitChecks, notNegative, quota } from '../columns.ts';

export const plans = pgTable(
  'plans',
  {
    id: id(),
    name: text('name').notNull().unique('plans_name_key'),
    activeKeyCap: integer('active_key_cap').notNull(),
    rateLimitPerMinute: integer('rate_limit_per_minute').notNull(),
    monthlyQuota: quota('monthly_quota').notNull(),
    /** Null where it has none. */
    dailyQuota: quota('daily_quota'),
    createdAt: createdAt(),
  },
  (table) => [
    check('plans_active_key_cap_check', notNegative(table.activeKeyCap)),
    ...limitChecks('plans', table),
  ],
);
