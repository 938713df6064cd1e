import { API_KEY_STATUSES } from '@ceiba/contract/sets';
import { API_KEY_NOTE_LENGTH_MAX, listLimits } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import {
  belongsTo,
  bytea,
  createdAt,
  digest,
  fewLabels,
  finite,
  id,
  instant,
  labels,
  lengthAtMost,
  limitColumns,
  notNegative,
  oneOf,
} from '../columns.ts';
import { customers } from '../customer/tables.ts';
import { projects } from '../project/tables.ts';

export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
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
    /** At most one; the key counts against its limits too. */
    customerId: uuid('customer_id'),
    /** The labels of the policies that it may call; null for all. */
    scopes: labels(),
    /** The key's own limits, in addition to the plan's; null means none. */
    ...limitColumns(),
    monthlyQuota: integer('monthly_quota'),
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
    foreignKey({
      name: 'api_keys_customer_fkey',
      columns: [table.projectId, table.customerId],
      foreignColumns: [customers.projectId, customers.id],
    }),
    index('api_keys_customer_idx')
      .on(table.projectId, table.customerId)
      .where(sql`${table.customerId} is not null`),
    check('api_keys_scopes_check', fewLabels(table.scopes)),
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
