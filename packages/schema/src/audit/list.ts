import { UUID_PATTERN } from '@ceiba/contract/sets';
import { and, eq, gte, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { Actor } from '../context.ts';
import {
  exportPages,
  hasText,
  keyset,
  NUMBER_ID,
  type Page,
  type PageRequest,
  type Run,
  readPage,
  searchText,
} from '../page.ts';
import { auditLog, projects } from '../tables.ts';
import { AUDITED_TABLES, type AuditAction } from './actions.ts';

export interface AuditFilter {
  /**
   * The user whose log to read: their account, and the projects that they owned at the time. Null reads
   * the whole log of `projectId`, which every member may, or without one of the installation.
   */
  ownerId: string | null;
  /** Null reads the changes that belong to no project. */
  projectId?: string | null;
  actions?: readonly AuditAction[];
  actorKind?: Actor['kind'];
  /** The user who acted. */
  actorId?: string;
  /** The ids of what was changed. */
  targetIds?: readonly string[];
  /** Part of the actor, the target, its id or the network address. */
  text?: string;
  from?: Date;
  /** Excluded. */
  to?: Date;
}

export interface AuditRow {
  auditId: number;
  at: Date;
  actor: {
    kind: string;
    userId: string | null;
    label: string;
    /** The name of the access token with which the user acted; null without one. */
    token: string | null;
  };
  action: string;
  /** `exists`: whether it is still there to be linked to; false for what has no id of its own. */
  target: { kind: string; id: string; label: string | null; exists: boolean };
  projectId: string | null;
  /** Null when the change concerned no project, or one that was deleted or has another owner now. */
  projectName: string | null;
  clientAddress: string | null;
  requestId: string | null;
  /** The changed fields. */
  before: unknown;
  after: unknown;
}

/** One page of the audit log, newest first. */
export function listAudit(
  db: { orm: Executor },
  { cursor = null, limit, orFirst = false, ...filter }: AuditFilter & PageRequest,
): Promise<Page<AuditRow>> {
  const matches = matching(filter);
  return readPage(
    { limit, cursor, orFirst },
    { idOf: (row: AuditRow) => row.auditId, idFormat: NUMBER_ID },
    (place, count) => {
      const { orderBy, beyond } = keyset(place, {
        value: sql`${auditLog.at}`,
        id: sql`${auditLog.id}`,
        descending: true,
        rowAt: (id) => sql`(select a.at, a.id from audit_log a where a.id = ${id}::bigint)`,
      });
      return readRows(db, { ...filter, where: and(matches, beyond), orderBy, limit: count });
    },
  );
}

/** All matching rows, newest first, as {@link exportPages}. */
export const exportAudit = (run: Run<{ orm: Executor }>, filter: AuditFilter) =>
  exportPages(run, listAudit, filter);

interface ReadRows {
  where: SQL | undefined;
  orderBy: SQL[];
  limit: number;
}

async function readRows(
  db: { orm: Executor },
  { ownerId, where, orderBy, limit }: Pick<AuditFilter, 'ownerId'> & ReadRows,
): Promise<AuditRow[]> {
  const isTheirs = ownerId === null ? undefined : eq(projects.ownerId, ownerId);
  return db.orm
    .select({
      auditId: auditLog.id,
      at: auditLog.at,
      actor: {
        kind: auditLog.actorKind,
        userId: auditLog.actorId,
        label: auditLog.actorLabel,
        token: auditLog.actorTokenName,
      },
      action: auditLog.action,
      target: {
        kind: auditLog.targetKind,
        id: auditLog.targetId,
        label: auditLog.targetLabel,
        exists: targetExists,
      },
      projectId: auditLog.projectId,
      projectName: projects.name,
      clientAddress: auditLog.clientAddress,
      requestId: auditLog.requestId,
      before: auditLog.before,
      after: auditLog.after,
    })
    .from(auditLog)
    .leftJoin(projects, and(eq(projects.id, auditLog.projectId), isTheirs))
    .where(where)
    .orderBy(...orderBy)
    .limit(limit);
}

/** Whether the target is in the table of its kind. */
const isInTable = AUDITED_TABLES.map(({ kind, table, isInProject }) => {
  const itsProject = isInProject ? sql`and t.project_id = ${projects.id}` : sql``;
  const found = sql`select from ${sql.identifier(table)} t where t.id = ${auditLog.targetId}::uuid`;
  return sql`when ${auditLog.targetKind} = ${kind} then exists (${found} ${itsProject})`;
});

/**
 * The first condition keeps the casts from failing. A subscription's target is its project; members and
 * invitations have the list of their project.
 */
const targetExists = sql<boolean>`case
  when ${auditLog.targetId} !~ ${`^${UUID_PATTERN}$`} then false
  when ${auditLog.targetKind} in ('project', 'subscription') then ${auditLog.targetId}::uuid is not distinct from ${projects.id}
  when ${auditLog.targetKind} in ('member', 'invitation') then ${projects.id} is not null
  ${sql.join(isInTable, sql` `)}
  else false end`;

function matching(filter: AuditFilter): SQL | undefined {
  const { ownerId, projectId, actions, actorKind, actorId, targetIds, from, to } = filter;
  const text = searchText(filter.text);
  return and(
    ownerId === null ? undefined : eq(auditLog.ownerId, ownerId),
    projectId === undefined ? undefined : isProject(projectId),
    actions === undefined ? undefined : inArray(auditLog.action, [...actions]),
    actorKind === undefined ? undefined : eq(auditLog.actorKind, actorKind),
    actorId === undefined ? undefined : eq(auditLog.actorId, actorId),
    targetIds === undefined ? undefined : inArray(auditLog.targetId, [...targetIds]),
    text === null ? undefined : matchesText(text),
    from === undefined ? undefined : gte(auditLog.at, from),
    to === undefined ? undefined : lt(auditLog.at, to),
  );
}

const isProject = (projectId: string | null) =>
  projectId === null ? isNull(auditLog.projectId) : eq(auditLog.projectId, projectId);

const matchesText = (text: string) =>
  sql`(${sql.join(
    [
      auditLog.actorLabel,
      auditLog.actorTokenName,
      auditLog.targetLabel,
      auditLog.targetId,
      auditLog.clientAddress,
    ].map((column) => hasText(column, text)),
    sql` or `,
  )})`;
