import type { MemberRole } from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { onForeignKeyViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { projectInvitations, projectMembers, projects, users } from '../tables.ts';
import { lockRole } from './require-right.ts';

/** What an invitation offers. */
export interface Invitation {
  projectId: string;
  projectName: string;
  role: MemberRole;
  invitedBy: string;
  expiresAt: Date;
}

/** @returns null when it was accepted, revoked or never created, or has expired */
export async function findInvitation(
  db: { orm: Executor },
  tokenDigest: Buffer,
): Promise<Invitation | null> {
  const [row] = await db.orm
    .select({
      projectId: projectInvitations.projectId,
      projectName: projects.name,
      role: projectInvitations.role,
      invitedBy: users.email,
      expiresAt: projectInvitations.expiresAt,
    })
    .from(projectInvitations)
    .innerJoin(projects, eq(projects.id, projectInvitations.projectId))
    .innerJoin(users, eq(users.id, projectInvitations.invitedBy))
    .where(isOpen(tokenDigest));
  return row ?? null;
}

export interface AcceptInvitationInput {
  tokenDigest: Buffer;
  userId: string;
  /** For the audit log. */
  email: string;
}

export type AcceptInvitationResult =
  | { kind: 'joined'; projectId: string }
  /** The user has a role in the project already. The invitation stays open for another user. */
  | { kind: 'is_member'; projectId: string }
  | { kind: 'not_found' };

/** Makes the user a member of the project. Of two users who accept one invitation, one succeeds. */
export function acceptInvitation(
  ctx: VerbContext,
  { tokenDigest, userId, email }: AcceptInvitationInput,
): Promise<AcceptInvitationResult> {
  const accept = inTransaction<AcceptInvitationResult>(ctx, async (tx) => {
    const offered = await findInvitation({ orm: tx }, tokenDigest);
    if (offered === null) return { kind: 'not_found' };
    const { projectId } = offered;
    const current = await lockRole(tx, { userId, projectId });
    if (current !== null) return { kind: 'is_member', projectId };
    // It may have been accepted or revoked before the lock.
    const [taken] = await tx
      .delete(projectInvitations)
      .where(isOpen(tokenDigest))
      .returning({ invitationId: projectInvitations.id, label: projectInvitations.label });
    if (taken === undefined) return { kind: 'not_found' };
    await tx.insert(projectMembers).values({ projectId, userId, role: offered.role });
    const [project] = await tx
      .select({ ownerId: projects.ownerId })
      .from(projects)
      .where(eq(projects.id, projectId));
    await writeAudit(tx, ctx, {
      action: 'invitation.accept',
      target: { id: taken.invitationId, label: taken.label },
      projectId,
      ...(project === undefined ? {} : { ownerId: project.ownerId }),
      after: { member: email, role: offered.role },
    });
    return { kind: 'joined', projectId };
  });
  // The user's account was deleted at that moment.
  return accept.catch(onForeignKeyViolation({ kind: 'not_found' }));
}

const isOpen = (tokenDigest: Buffer) =>
  and(
    eq(projectInvitations.tokenDigest, tokenDigest),
    sql`${projectInvitations.expiresAt} > now()`,
  );
