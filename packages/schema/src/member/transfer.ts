import { and, eq } from 'drizzle-orm';
import { onUniqueViolation } from '../connection/errors.ts';
import type { VerbContext } from '../context.ts';
import { changingProject } from '../project/change.ts';
import { projectInvitations, projectMembers, projects, users } from '../tables.ts';

export interface TransferProjectInput {
  projectId: string;
  /** A member, who becomes the owner. */
  newOwnerId: string;
  /** The project's name, as confirmation. */
  name: string;
}

export type TransferProjectResult = {
  kind:
    | 'transferred'
    | 'name_mismatch'
    /** The new owner has a project with this name already. */
    | 'name_taken'
    | 'not_a_member'
    | 'not_found';
};

/**
 * Makes a member the owner; the previous owner becomes a developer. Open invitations end, because the
 * new owner did not send them.
 */
export function transferProject(
  ctx: VerbContext,
  { projectId, newOwnerId, name }: TransferProjectInput,
): Promise<TransferProjectResult> {
  const transfer = changingProject<TransferProjectResult>(
    ctx,
    projectId,
    async (tx, project, audit) => {
      if (project.name !== name) return { kind: 'name_mismatch' };
      const isNewOwner = and(
        eq(projectMembers.projectId, projectId),
        eq(projectMembers.userId, newOwnerId),
      );
      // The user first, then the membership, as a deletion of the account locks them.
      const [newOwner] = await tx
        .select({ email: users.email })
        .from(users)
        .where(eq(users.id, newOwnerId))
        .for('key share');
      const [left] = await tx.delete(projectMembers).where(isNewOwner).returning();
      if (newOwner === undefined || left === undefined) return { kind: 'not_a_member' };
      await tx.update(projects).set({ ownerId: newOwnerId }).where(eq(projects.id, projectId));
      await tx
        .insert(projectMembers)
        .values({ projectId, userId: project.ownerId, role: 'developer' });
      await tx.delete(projectInvitations).where(eq(projectInvitations.projectId, projectId));
      const [previous] = await tx
        .select({ email: users.email })
        .from(users)
        .where(eq(users.id, project.ownerId));
      const before = { owner: previous?.email ?? project.ownerId };
      const after = { owner: newOwner.email };
      await audit('project.transfer', { id: projectId, label: name }, { before, after });
      return { kind: 'transferred' };
    },
  );
  return transfer.catch(onUniqueViolation({ kind: 'name_taken' }));
}
