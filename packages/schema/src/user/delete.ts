import { eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import type { Executor } from '../database.ts';
import { projects, users } from '../tables.ts';
import { isLastAdministrator, takeTurnWithAdministrators } from './administrators.ts';

export type DeleteUserResult =
  | { kind: 'owns_projects'; projects: number }
  | { kind: 'deleted' | 'last_administrator' | 'not_found' };

/**
 * Deletes a person's account and ends their sessions. Refused while they own projects: hosts ask
 * about these every second, so each is deleted by its name first. What they did stays in the audit
 * log.
 */
export function deleteUser(
  ctx: VerbContext,
  { userId }: { userId: string },
): Promise<DeleteUserResult> {
  return inTransaction(ctx, async (tx) => {
    await takeTurnWithAdministrators(tx);
    // Whoever creates a project holds its owner's row; the count below then sees the project.
    const [user] = await tx
      .select({ email: users.email, isAdministrator: users.isAdministrator })
      .from(users)
      .where(eq(users.id, userId))
      .for('update');
    if (user === undefined) return { kind: 'not_found' };
    if (user.isAdministrator && (await isLastAdministrator(tx))) {
      return { kind: 'last_administrator' };
    }
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
