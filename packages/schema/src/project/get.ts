import { and, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { projects } from '../tables.ts';

/** A project without its secrets. */
export interface Project {
  projectId: string;
  ownerId: string;
  name: string;
  secretCreatedAt: Date;
  previousSecretExpiresAt: Date | null;
  defaultKeyRateLimitPerMinute: number | null;
  /** How many of a hundred allowed decisions the decision log keeps. */
  loggedAllowsPercent: number;
  /** Whether the decision log keeps paths. */
  logsPaths: boolean;
  createdAt: Date;
}

const columns = {
  projectId: projects.id,
  ownerId: projects.ownerId,
  name: projects.name,
  secretCreatedAt: projects.secretCreatedAt,
  previousSecretExpiresAt: projects.previousSecretExpiresAt,
  defaultKeyRateLimitPerMinute: projects.defaultKeyRateLimitPerMinute,
  loggedAllowsPercent: projects.loggedAllowsPercent,
  logsPaths: projects.logsPaths,
  createdAt: projects.createdAt,
};

/** For operators, who act on any project. @returns null when there is none */
export async function getProject(
  db: { orm: Executor },
  projectId: string,
): Promise<Project | null> {
  const [row] = await db.orm.select(columns).from(projects).where(eq(projects.id, projectId));
  return row ?? null;
}

/** @returns null when there is no such project, or, indistinguishably, it has another owner */
export async function getOwnedProject(
  db: { orm: Executor },
  { ownerId, projectId }: { ownerId: string; projectId: string },
): Promise<Project | null> {
  const [row] = await db.orm
    .select(columns)
    .from(projects)
    .where(and(eq(projects.id, projectId), eq(projects.ownerId, ownerId)));
  return row ?? null;
}

/** @returns the owner's project of that name, or null */
export async function findProjectByName(
  db: { orm: Executor },
  { ownerId, name }: { ownerId: string; name: string },
): Promise<Project | null> {
  const [row] = await db.orm
    .select(columns)
    .from(projects)
    .where(and(eq(projects.ownerId, ownerId), eq(projects.name, name)));
  return row ?? null;
}
