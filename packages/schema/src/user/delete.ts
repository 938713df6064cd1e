import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { projects, users } from '../tables.ts';
import { lockUser } from './lock.ts';

export type DeleteUserResult =
  | { kind: 'owns_projects'; projects: number }
  | { kind: 'deleted' | 'last_administrator' | 'not_found' };

/**
 * Deletes a user and ends their sessions. Refused while the user owns projects, which hosts may
 * depend on: each has to be deleted by its name first. The audit log keeps what the user did.
 */
export function deleteUser(
  ctx: VerbContext,
  { userId }: { userId: string },
): Promise<DeleteUserResult> {
  return inTransaction(ctx, async (tx) => {
    // Creating a project locks its owner's row, so the count below sees that project.
    const user = await lockUser(tx, userId, 'update');
    if (user === undefined) return { kind: 'not_found' };
    if (user.isLastAdministrator) return { kind: 'last_administrator' };
    const owned = await countProjects(tx, userId);
    if (owned > 0) return { kind: 'owns_projects', projects: owned };
    await tx.delete(users).where(eq(users.id, userId));
    await writeAudit(tx, ctx, {
      action: 'user.delete',
      target: { id: userId, label: user.email },
      ownerId: userId,
      before: { email: user.email, isAdministrator: user.isAdministrator },
    });
    return { kind: 'deleted' };
  });
}

async function countProjects(tx: Executor, ownerId: string): Promise<number> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(projects)
    .where(eq(projects.ownerId, ownerId));
  return row?.count ?? 0;
}
