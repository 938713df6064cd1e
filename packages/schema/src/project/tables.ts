import { API_KEY_BRAND, KEY_BRAND_PATTERN } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { between, bytea, createdAt, digest, finite, id, instant, notNegative } from '../columns.ts';
import { users } from '../user/tables.ts';

export const projects = pgTable(
  'projects',
  {
    id: id(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id),
    name: text('name').notNull(),
    secretDigest: bytea('secret_digest').notNull(),
    secretCreatedAt: instant('secret_created_at').notNull().defaultNow(),
    /** Accepted as well as the current secret until it expires, 24 hours after the rotation. */
    previousSecretDigest: bytea('previous_secret_digest'),
    previousSecretExpiresAt: instant('previous_secret_expires_at'),
    /** To the minute; null until it is used after the rotation. */
    previousSecretLastUsedAt: instant('previous_secret_last_used_at'),
    /** What its new keys begin with. */
    keyPrefix: text('key_prefix').notNull().default(API_KEY_BRAND),
    /** Whether a text without a checksum of ours may be a key: set by the first import. */
    acceptsImportedKeys: boolean('accepts_imported_keys').notNull().default(false),
    /** The rate of keys that have none of their own; null leaves them to the plan's limit. */
    defaultKeyRateLimitPerMinute: integer('default_key_rate_limit_per_minute'),
    /** Written by the first flush of usage that has an allowed call (ADR 0067). */
    firstAllowedAt: instant('first_allowed_at'),
    /** How many of a hundred allowed decisions the decision log keeps. Denials are all kept. */
    loggedAllowsPercent: integer('logged_allows_percent').notNull().default(1),
    /** Whether the decision log keeps paths. */
    logsPaths: boolean('logs_paths').notNull().default(true),
    /** What `decision_revisions` is to this release, for the previous one. */
    policyRevision: uuid('policy_revision').notNull().defaultRandom(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('projects_owner_id_name_key').on(table.ownerId, table.name),
    check('projects_secret_digest_check', digest(table.secretDigest)),
    check('projects_previous_secret_digest_check', digest(table.previousSecretDigest)),
    check('projects_previous_secret_expires_at_check', finite(table.previousSecretExpiresAt)),
    check(
      'projects_key_prefix_check',
      sql`${table.keyPrefix} ~ ${sql.raw(`'^${KEY_BRAND_PATTERN}$'`)}`,
    ),
    check('projects_default_key_rate_check', notNegative(table.defaultKeyRateLimitPerMinute)),
    check('projects_logged_allows_percent_check', between(table.loggedAllowsPercent, 0, 100)),
  ],
);
