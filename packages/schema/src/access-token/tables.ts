import { TOKEN_ACCESSES, TOKEN_PROJECTS_MAX } from '@ceiba/domain';
import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, bytea, createdAt, digest, finite, id, instant, oneOf } from '../columns.ts';
import { users } from '../user/tables.ts';

/** With one, a program does what its user may. Revoking deletes it; the audit log keeps what it was. */
export const accessTokens = pgTable(
  'access_tokens',
  {
    id: id(),
    userId: belongsTo('user_id', () => users.id),
    name: text('name').notNull(),
    tokenPrefix: text('token_prefix').notNull(),
    /** SHA-256 of the whole token (ADR 0001). */
    tokenDigest: bytea('token_digest').notNull().unique('access_tokens_token_digest_key'),
    access: text('access', { enum: TOKEN_ACCESSES }).notNull(),
    /** The only projects that it reaches, some of which may be gone; null for all of its user. */
    projectIds: uuid('project_ids').array(),
    createdAt: createdAt(),
    /** Written at most once a minute. */
    lastUsedAt: instant('last_used_at'),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('access_tokens_user_id_idx').on(table.userId),
    check('access_tokens_token_digest_check', digest(table.tokenDigest)),
    check('access_tokens_access_check', oneOf(table.access, TOKEN_ACCESSES)),
    check('access_tokens_expires_at_check', finite(table.expiresAt)),
    check(
      'access_tokens_project_ids_check',
      sql`cardinality(${table.projectIds}) between 1 and ${sql.raw(String(TOKEN_PROJECTS_MAX))}`,
    ),
  ],
);
