import { and, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { projects, users } from '../tables.ts';
import { type Project, projectColumns } from './get.ts';

export interface ProjectWithOwner extends Project {
  ownerEmail: string;
}

/** For operators: every project, or those of an owner, or one; in no order. */
export function listProjectsWithOwner(
  db: { orm: Executor },
  { ownerId, projectId }: { ownerId?: string; projectId?: string } = {},
): Promise<ProjectWithOwner[]> {
  return db.orm
    .select({ ...projectColumns, ownerEmail: users.email })
    .from(projects)
    .innerJoin(users, eq(users.id, projects.ownerId))
    .where(
      and(
        ownerId === undefined ? undefined : eq(projects.ownerId, ownerId),
        projectId === undefined ? undefined : eq(projects.id, projectId),
      ),
    );
}
