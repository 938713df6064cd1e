import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { projectMembers, projects, users } from '../tables.ts';
import { auditAccount } from './change.ts';
import { lockUser } from './lock.ts';

export type DeleteUserResult =
  | { kind: 'owns_projects'; projects: number; names: string[] }
  | { kind: 'deleted' | 'last_administrator' | 'outdated' | 'not_found' };

/**
 * Deletes a user and ends their sessions. Refused while the user owns projects, which hosts may
 * depend on: each has to be transferred or deleted first. The audit log keeps what the user did.
 *
 * @param input.sessionVersion the one that was read with the password that proved the user; with
 *   another one the result is `outdated`
 */
export function deleteUser(
  ctx: VerbContext,
  { userId, sessionVersion }: { userId: string; sessionVersion?: number },
): Promise<DeleteUserResult> {
  return inTransaction(ctx, async (tx) => {
    // Creating a project locks its owner's row, so the count below sees that project.
    const user = await lockUser(tx, userId, 'update');
    if (user === undefined) return { kind: 'not_found' };
    if (sessionVersion !== undefined && user.sessionVersion !== sessionVersion) {
      return { kind: 'outdated' };
    }
    if (user.isLastAdministrator) return { kind: 'last_administrator' };
    const names = await namesOfProjects(tx, userId);
    if (names.length > 0) return { kind: 'owns_projects', projects: names.length, names };
    const memberships = await lockMemberships(tx, userId);
    await tx.delete(users).where(eq(users.id, userId));
    for (const { projectId, ownerId, role } of memberships) {
      await writeAudit(tx, ctx, {
        action: 'member.leave',
        target: { id: userId, label: user.email },
        projectId,
        ownerId,
        before: { role },
      });
    }
    const { email, isAdministrator } = user;
    const before = { email, isAdministrator };
    await auditAccount(tx, ctx, 'user.delete', { userId, email }, { before });
    return { kind: 'deleted' };
  });
}

/** They end with the user, which the log of each project says. */
function lockMemberships(tx: Executor, userId: string) {
  return tx
    .select({
      projectId: projectMembers.projectId,
      ownerId: projects.ownerId,
      role: projectMembers.role,
    })
    .from(projectMembers)
    .innerJoin(projects, eq(projects.id, projectMembers.projectId))
    .where(eq(projectMembers.userId, userId))
    .orderBy(projectMembers.projectId)
    .for('update', { of: projectMembers });
}

async function namesOfProjects(tx: Executor, ownerId: string): Promise<string[]> {
  const owned = await tx
    .select({ name: projects.name })
    .from(projects)
    .where(eq(projects.ownerId, ownerId))
    .orderBy(sql`lower(${projects.name})`);
  return owned.map(({ name }) => name);
}
