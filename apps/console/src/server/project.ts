import 'server-only';
import { mayDo, type ProjectRight, type ProjectRole } from '@ceiba/domain';
import { getProjectOf, listProjectNames, type Project } from '@ceiba/schema';
import { forbidden, notFound } from 'next/navigation';
import { cache } from 'react';
import { z } from 'zod';
import { withDatabase } from './database.ts';
import { requireSession, requireUser, type SignedInUser } from './session.ts';

/** A project as the signed-in user has it. */
export interface ProjectOfUser {
  user: SignedInUser;
  project: Project;
  role: ProjectRole;
  /** Whether the user has a right, to leave out what they cannot use. Actions check it again. */
  may: (right: ProjectRight) => boolean;
}

/**
 * The project of a page. Redirects to sign-in without a session. A project in which the user has no
 * role is not found; a page that needs another right than the role has answers 403.
 */
export async function requireProject(
  projectId: string,
  right: ProjectRight = 'view',
): Promise<ProjectOfUser> {
  const { user, project, role } = await readProject(projectId);
  const may = (asked: ProjectRight) => mayDo(role, asked);
  if (!may(right)) forbidden();
  return { user, project, role, may };
}

/** The first projects of the user by name, at most `most`; none before a required second factor is set up. */
export async function readProjectNames(most: number) {
  const { userId, mustAddSecondFactor } = await requireSession();
  if (mustAddSecondFactor) return { projects: [], hasMore: false };
  const limit = most + 1;
  const projects = await withDatabase((db) => listProjectNames(db, { userId, limit }));
  return { projects: projects.slice(0, most), hasMore: projects.length === limit };
}

/** Read once per request. */
const readProject = cache(async (projectId: string) => {
  const user = await requireUser();
  if (!z.guid().safeParse(projectId).success) notFound();
  const found = await withDatabase((db) => getProjectOf(db, { userId: user.userId, projectId }));
  if (found === null) notFound();
  return { user, ...found };
});
