import { mayDo, type ProjectRight, type ProjectRole } from '@ceiba/domain';
import { and, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { lockProject } from '../project/lock.ts';
import { projectMembers } from '../tables.ts';

/** A right that a user needs in a project. */
export interface ProjectAccess {
  userId: string;
  projectId: string;
  right: ProjectRight;
}

/** The user does not have the right that a change requires. */
export class RightRefusedError extends Error {
  override readonly name = 'RightRefusedError';

  constructor(
    /** Null when the project does not exist for the user. */
    readonly role: ProjectRole | null,
  ) {
    super(`refused to ${role ?? 'a user without a role'}`);
  }
}

/**
 * Checks a right and keeps it until the transaction ends: every change of a role or an owner waits for
 * the same lock, and a deletion of the account for the membership's. So a change is made before its
 * user loses the role, or not at all.
 *
 * @throws RightRefusedError
 */
export async function requireRight(
  tx: Executor,
  { userId, projectId, right }: ProjectAccess,
): Promise<void> {
  const role = await lockRole(tx, { userId, projectId });
  if (role === null || !mayDo(role, right)) throw new RightRefusedError(role);
}

/**
 * Reads a user's role in a project. The second statement sees what the lock waited for.
 *
 * @returns null when there is no such project or the user has no role in it
 */
export async function lockRole(
  tx: Executor,
  { userId, projectId }: { userId: string; projectId: string },
): Promise<ProjectRole | null> {
  const project = await lockProject(tx, projectId);
  if (project === undefined) return null;
  if (project.ownerId === userId) return 'owner';
  const [member] = await tx
    .select({ role: projectMembers.role })
    .from(projectMembers)
    .where(and(eq(projectMembers.projectId, projectId), eq(projectMembers.userId, userId)))
    // A deletion of the account removes the row without locking the project.
    .for('key share');
  return member?.role ?? null;
}
