import { MEMBER_ROLES } from '@ceiba/domain';
import { check, index, pgTable, text } from 'drizzle-orm/pg-core';
import {
  belongsTo,
  bytea,
  createdAt,
  digest,
  finite,
  id,
  instant,
  namedKey,
  oneOf,
} from '../columns.ts';
import { projects } from '../project/tables.ts';
import { users } from '../user/tables.ts';

/** The users who may work in a project, apart from its owner, who is `projects.owner_id`. */
export const projectMembers = pgTable(
  'project_members',
  {
    projectId: belongsTo('project_id', () => projects.id),
    userId: belongsTo('user_id', () => users.id),
    role: text('role', { enum: MEMBER_ROLES }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    namedKey('project_members_pkey', [table.projectId, table.userId]),
    index('project_members_user_id_idx').on(table.userId),
    check('project_members_role_check', oneOf(table.role, MEMBER_ROLES)),
  ],
);

/** Invitations that were neither accepted nor revoked; accepting one deletes it. */
export const projectInvitations = pgTable(
  'project_invitations',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    role: text('role', { enum: MEMBER_ROLES }).notNull(),
    /** The owner's note on who it is for. */
    label: text('label').notNull(),
    /** SHA-256 of the whole invitation. */
    tokenDigest: bytea('token_digest').notNull().unique('project_invitations_token_digest_key'),
    invitedBy: belongsTo('invited_by', () => users.id),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    index('project_invitations_project_id_idx').on(table.projectId),
    index('project_invitations_invited_by_idx').on(table.invitedBy),
    check('project_invitations_role_check', oneOf(table.role, MEMBER_ROLES)),
    check('project_invitations_token_digest_check', digest(table.tokenDigest)),
    check('project_invitations_expires_at_check', finite(table.expiresAt)),
  ],
);
