import { sql } from 'drizzle-orm';
import {
  bigint,
  type ExtraConfigColumn,
  index,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';

const newestFirst = (table: { at: ExtraConfigColumn; id: ExtraConfigColumn }) =>
  [table.at.desc().nullsFirst(), table.id.desc().nullsFirst()] as const;

/** Who changed what, when and from where. Written in the transaction of the change. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant('at').notNull().defaultNow(),
    /** Kept when the project is deleted, hence no foreign key. */
    ownerId: uuid('owner_id'),
    projectId: uuid('project_id'),
    actorKind: text('actor_kind').notNull(),
    actorId: uuid('actor_id'),
    actorLabel: text('actor_label').notNull(),
    /** The access token with which the user acted; kept when it is revoked. */
    actorTokenId: uuid('actor_token_id'),
    actorTokenName: text('actor_token_name'),
    action: text('action').notNull(),
    targetKind: text('target_kind').notNull(),
    targetId: text('target_id').notNull(),
    targetLabel: text('target_label'),
    clientAddress: text('client_address'),
    requestId: text('request_id'),
    before: jsonb('before'),
    after: jsonb('after'),
    /** The hour whose repeats this row counts in `after`; null for a single change. */
    hour: instant('hour'),
  },
  (table) => [
    index('audit_log_project_id_at_idx').on(table.projectId, ...newestFirst(table)),
    index('audit_log_owner_id_at_idx').on(table.ownerId, ...newestFirst(table)),
    index('audit_log_project_id_target_id_at_idx').on(
      table.projectId,
      table.targetId,
      ...newestFirst(table),
    ),
    index('audit_log_at_idx').on(...newestFirst(table)),
    uniqueIndex('audit_log_hour_key')
      .on(table.targetId, table.action, table.hour)
      .where(sql`${table.hour} is not null`),
  ],
);

/**
 * Where the log is streamed to. A trigger queues each row of the log, and each change of one, for every
 * stream, in the transaction of the row.
 */
export const auditStreams = pgTable('audit_streams', {
  name: text('name').primaryKey(),
  /** The process that sends, until the time: another takes over then. */
  holder: text('holder').notNull(),
  heldUntil: instant('held_until').notNull(),
});

/** The rows that a stream has not delivered. Without foreign keys, which would lock the stream's row. */
export const auditOutbox = pgTable(
  'audit_outbox',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    stream: text('stream').notNull(),
    auditId: bigint('audit_id', { mode: 'number' }).notNull(),
    /** The same in each attempt, and in no other delivery, also after a restored backup. */
    deliveryId: uuid('delivery_id').notNull().defaultRandom(),
  },
  (table) => [index('audit_outbox_stream_id_idx').on(table.stream, table.id)],
);
