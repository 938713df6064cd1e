import type { ProjectRole } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { projectMembers, projects } from '../tables.ts';
import { isUnsampled } from './unsampled.ts';

/** A project without its secrets. */
export interface Project {
  projectId: string;
  ownerId: string;
  name: string;
  secretCreatedAt: Date;
  previousSecretExpiresAt: Date | null;
  /** To the minute; null if it was not used since it was replaced. */
  previousSecretLastUsedAt: Date | null;
  defaultKeyRateLimitPerMinute: number | null;
  /** What its new keys begin with. */
  keyPrefix: string;
  /** When usage was first written that has an allowed call; null before. */
  firstAllowedAt: Date | null;
  /** Whether the decision log samples none of its allows yet. */
  isUnsampled: boolean;
  /** How many of a hundred allowed decisions the decision log keeps. */
  loggedAllowsPercent: number;
  /** Whether the decision log keeps paths. */
  logsPaths: boolean;
  createdAt: Date;
}

export const projectColumns = {
  projectId: projects.id,
  ownerId: projects.ownerId,
  name: projects.name,
  secretCreatedAt: projects.secretCreatedAt,
  previousSecretExpiresAt: projects.previousSecretExpiresAt,
  previousSecretLastUsedAt: projects.previousSecretLastUsedAt,
  defaultKeyRateLimitPerMinute: projects.defaultKeyRateLimitPerMinute,
  keyPrefix: projects.keyPrefix,
  firstAllowedAt: projects.firstAllowedAt,
  isUnsampled: sql<boolean>`${sql.raw(isUnsampled('projects'))}`,
  loggedAllowsPercent: projects.loggedAllowsPercent,
  logsPaths: projects.logsPaths,
  createdAt: projects.createdAt,
};

/** For operators, who act on any project. @returns null when there is none */
export async function getProject(
  db: { orm: Executor },
  projectId: string,
): Promise<Project | null> {
  const [row] = await db.orm
    .select(projectColumns)
    .from(projects)
    .where(eq(projects.id, projectId));
  return row ?? null;
}

/**
 * A project as one of its users has it.
 *
 * @returns null when there is no such project, or, indistinguishably, the user has no role in it
 */
export async function getProjectOf(
  db: { orm: Executor },
  { userId, projectId }: { userId: string; projectId: string },
): Promise<{ project: Project; role: ProjectRole } | null> {
  const [row] = await db.orm
    .select({ project: projectColumns, memberRole: projectMembers.role })
    .from(projects)
    .leftJoin(
      projectMembers,
      and(eq(projectMembers.projectId, projects.id), eq(projectMembers.userId, userId)),
    )
    .where(eq(projects.id, projectId));
  if (row === undefined) return null;
  const role = row.project.ownerId === userId ? 'owner' : row.memberRole;
  return role === null ? null : { project: row.project, role };
}

/** @returns the owner's project of that name, or null */
export async function findProjectByName(
  db: { orm: Executor },
  { ownerId, name }: { ownerId: string; name: string },
): Promise<Project | null> {
  const [row] = await db.orm
    .select(projectColumns)
    .from(projects)
    .where(and(eq(projects.ownerId, ownerId), eq(projects.name, name)));
  return row ?? null;
}
