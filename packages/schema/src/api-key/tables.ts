import { API_KEY_STATUSES } from '@ceiba/contract/sets';
import { API_KEY_NOTE_LENGTH_MAX } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  pgTable,
  text,
  unique,
  uniqueIndex,
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
  limitChecks,
  limitColumns,
  metadata,
  namedKey,
  oneOf,
  smallObject,
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
    /** Of the secret before the last rotation: accepted as well until it expires (ADR 0061). */
    previousDigest: bytea('previous_digest'),
    previousPrefix: text('previous_prefix'),
    previousExpiresAt: instant('previous_expires_at'),
    previousLastUsedAt: instant('previous_last_used_at'),
    /** Whether another issuer made the secret: it need not be random, nor have a checksum. */
    isImported: boolean('is_imported').notNull().default(false),
    /**
     * Of the secret that was imported, kept after rotations: a repeated import must not bring back a secret
     * that a rotation has replaced. No decision reads it.
     */
    importedDigest: bytea('imported_digest'),
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
    /** Of the owner, which no decision returns. */
    metadata: metadata(),
    /** At most one; the key counts against its limits too. */
    customerId: uuid('customer_id'),
    /** The labels of the policies that it may call; null for all. */
    scopes: labels(),
    /** The key's own limits, in addition to the plan's; null means none. */
    ...limitColumns(),
  },
  (table) => [
    unique('api_keys_project_id_key_digest_key').on(table.projectId, table.keyDigest),
    // Of all keys: Postgres would read a small partial index from end to end, and keep that plan while
    // thousands of keys are rotated.
    unique('api_keys_project_id_previous_digest_key').on(table.projectId, table.previousDigest),
    uniqueIndex('api_keys_imported_digest_key')
      .on(table.projectId, table.importedDigest)
      .where(sql`${table.importedDigest} is not null`),
    index('api_keys_imported_idx').on(table.projectId).where(sql`${table.isImported}`),
    index('api_keys_metadata_idx')
      .using('gin', table.metadata.op('jsonb_path_ops'))
      .where(sql`${table.metadata} <> '{}'`),
    index('api_keys_project_id_created_at_idx').on(
      table.projectId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index('api_keys_active_idx')
      .on(table.projectId, table.expiresAt)
      .where(sql`${table.status} = 'active'`),
    // Revoked and archived keys, and disabled ones, are few among many.
    index('api_keys_ended_idx')
      .on(
        table.projectId,
        table.status,
        table.createdAt.desc().nullsFirst(),
        table.id.desc().nullsFirst(),
      )
      .where(sql`${table.status} <> 'active'`),
    index('api_keys_disabled_idx').on(table.projectId).where(sql`${table.disabledAt} is not null`),
    // The orders of the console's list that no use of a key changes.
    index('api_keys_name_idx').on(table.projectId, sql`lower(${table.displayName})`, table.id),
    index('api_keys_expiry_idx').on(
      table.projectId,
      sql`coalesce(${table.expiresAt}, 'infinity'::timestamptz)`,
      table.id,
    ),
    // A migration adds `api_keys_words_idx`, of the trigrams of name and note, where it may.
    index('api_keys_prefix_idx').on(table.projectId, sql`${table.keyPrefix} collate "C"`),
    index('api_keys_previous_prefix_idx')
      .on(table.projectId, sql`${table.previousPrefix} collate "C"`)
      .where(sql`${table.previousPrefix} is not null`),
    foreignKey({
      name: 'api_keys_customer_fkey',
      columns: [table.projectId, table.customerId],
      foreignColumns: [customers.projectId, customers.id],
    }),
    index('api_keys_customer_idx')
      .on(table.projectId, table.customerId)
      .where(sql`${table.customerId} is not null`),
    check(
      'api_keys_previous_check',
      sql`num_nulls(${table.previousDigest}, ${table.previousPrefix}, ${table.previousExpiresAt}) in (0, 3)`,
    ),
    check('api_keys_previous_digest_check', digest(table.previousDigest)),
    check('api_keys_previous_expires_at_check', finite(table.previousExpiresAt)),
    check('api_keys_imported_digest_check', digest(table.importedDigest)),
    check('api_keys_metadata_check', smallObject(table.metadata)),
    check('api_keys_scopes_check', fewLabels(table.scopes)),
    check('api_keys_key_digest_check', digest(table.keyDigest)),
    check('api_keys_status_check', oneOf(table.status, API_KEY_STATUSES)),
    check('api_keys_expires_at_check', finite(table.expiresAt)),
    check('api_keys_disabled_at_check', finite(table.disabledAt)),
    check('api_keys_note_check', lengthAtMost(table.note, API_KEY_NOTE_LENGTH_MAX)),
    ...limitChecks('api_keys', table),
  ],
);

/**
 * The secrets that rotations have replaced: an import must not bring one back, also after its overlap. No
 * decision reads them.
 */
export const replacedSecrets = pgTable(
  'replaced_secrets',
  {
    projectId: belongsTo('project_id', () => projects.id),
    /** SHA-256 of the whole secret. */
    digest: bytea('digest').notNull(),
    /** Without a foreign key: keys are deleted only with their project. */
    apiKeyId: uuid('api_key_id').notNull(),
  },
  (table) => [namedKey('replaced_secrets_pkey', [table.projectId, table.digest])],
);

/** The creations that a host may repeat without a second key: those of the last 24 hours. */
export const keyCreations = pgTable(
  'key_creations',
  {
    projectId: belongsTo('project_id', () => projects.id),
    /** The header `Idempotency-Key`. */
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of what was asked. */
    bodyDigest: bytea('body_digest').notNull(),
    apiKeyId: uuid('api_key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (table) => [
    namedKey('key_creations_pkey', [table.projectId, table.idempotencyKey]),
    index('key_creations_created_at_idx').on(table.createdAt),
    check('key_creations_body_digest_check', digest(table.bodyDigest)),
    check('key_creations_idempotency_key_check', lengthAtMost(table.idempotencyKey, 255)),
  ],
);
