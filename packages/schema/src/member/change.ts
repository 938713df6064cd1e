import type { MemberRole } from '@ceiba/domain';
import { and, eq } from 'drizzle-orm';
import type { AuditAction } from '../audit/actions.ts';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { changingProject } from '../project/change.ts';
import { projectMembers, users } from '../tables.ts';

export interface MemberRef {
  projectId: string;
  userId: string;
}

/** Changes a member's role, from their next request on. The owner is not a member. */
export function setMemberRole(
  ctx: VerbContext,
  { role, ...ref }: MemberRef & { role: MemberRole },
): Promise<{ kind: 'updated' | 'unchanged' | 'not_found' }> {
  return changingProject(ctx, ref.projectId, async (tx, _, audit) => {
    const before = await readMember(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    if (before.role === role) return { kind: 'unchanged' };
    await tx.update(projectMembers).set({ role }).where(isMember(ref));
    const target = { id: ref.userId, label: before.email };
    await audit('member.set_role', target, { before: { role: before.role }, after: { role } });
    return { kind: 'updated' };
  });
}

/** Removes a member, who has no access from their next request on. */
export const removeMember = (ctx: VerbContext, ref: MemberRef) => end(ctx, ref, 'member.remove');

/** Ends the user's own membership. An owner cannot leave. */
export const leaveProject = (ctx: VerbContext, ref: MemberRef) => end(ctx, ref, 'member.leave');

function end(
  ctx: VerbContext,
  ref: MemberRef,
  action: Extract<AuditAction, 'member.remove' | 'member.leave'>,
): Promise<{ kind: 'ended' | 'not_found' }> {
  return changingProject(ctx, ref.projectId, async (tx, _, audit) => {
    const before = await readMember(tx, ref);
    if (before === undefined) return { kind: 'not_found' };
    await tx.delete(projectMembers).where(isMember(ref));
    const target = { id: ref.userId, label: before.email };
    await audit(action, target, { before: { role: before.role } });
    return { kind: 'ended' };
  });
}

const isMember = ({ projectId, userId }: MemberRef) =>
  and(eq(projectMembers.projectId, projectId), eq(projectMembers.userId, userId));

/** Locks the membership, because a deletion of the account removes it without locking the project. */
async function readMember(tx: Executor, ref: MemberRef) {
  const [row] = await tx
    .select({ role: projectMembers.role, email: users.email })
    .from(projectMembers)
    .innerJoin(users, eq(users.id, projectMembers.userId))
    .where(isMember(ref))
    .for('update', { of: projectMembers });
  return row;
}
