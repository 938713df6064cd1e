import { COST_MAX } from '@ceiba/contract/sets';
import { sql } from 'drizzle-orm';
import { bigint, check, integer, pgTable, text, unique } from 'drizzle-orm/pg-core';
import {
  belongsTo,
  between,
  createdAt,
  fewLabels,
  id,
  instant,
  labels,
  namedKey,
} from '../columns.ts';
import { projects } from '../project/tables.ts';

export const policies = pgTable(
  'policies',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    /** One HTTP method, or `*`. */
    method: text('method').notNull(),
    /** In normal form, as the domain's `parsePathPattern` returns it. */
    pathPattern: text('path_pattern').notNull(),
    /** The labels that open it to restricted keys; null for none. */
    scopes: labels(),
    /** What a call takes of quotas. */
    cost: integer('cost').notNull().default(1),
    createdAt: createdAt(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('policies_project_id_method_path_pattern_key').on(
      table.projectId,
      table.method,
      table.pathPattern,
    ),
    check('policies_scopes_check', fewLabels(table.scopes)),
    check('policies_cost_check', between(table.cost, 0, COST_MAX)),
  ],
);

/**
 * The revision of what decisions keep of a project, as the `bit_xor` of its rows. A change of its
 * policies appends one and changes none (rule policy-revision).
 */
export const decisionRevisions = pgTable(
  'decision_revisions',
  {
    projectId: belongsTo('project_id', () => projects.id),
    r: bigint('r', { mode: 'bigint' })
      .notNull()
      .default(sql`uuid_hash_extended(gen_random_uuid(), 0)`),
  },
  (table) => [namedKey('decision_revisions_pkey', [table.projectId, table.r])],
);
