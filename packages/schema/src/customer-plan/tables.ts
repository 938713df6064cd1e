import { check, integer, pgTable, text, unique } from 'drizzle-orm/pg-core';
import {
  belongsTo,
  createdAt,
  fewLabels,
  id,
  labels,
  limitChecks,
  limitColumns,
  notNegative,
} from '../columns.ts';
import { projects } from '../project/tables.ts';

/** What an owner sells: a plan of the customers of one project. What is null, it does not limit. */
export const customerPlans = pgTable(
  'customer_plans',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    name: text('name').notNull(),
    /** The most active keys of each of its customers. */
    activeKeyCap: integer('active_key_cap'),
    ...limitColumns(),
    /** The labels of the policies that its customers' keys may call; null for all. */
    scopes: labels(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('customer_plans_project_id_name_key').on(table.projectId, table.name),
    // For the foreign key of customers, which is what keeps projects apart.
    unique('customer_plans_project_id_id_key').on(table.projectId, table.id),
    check('customer_plans_active_key_cap_check', notNegative(table.activeKeyCap)),
    check('customer_plans_scopes_check', fewLabels(table.scopes)),
    ...limitChecks('customer_plans', table),
  ],
);
