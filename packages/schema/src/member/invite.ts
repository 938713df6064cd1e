import {
  INVITATION_DAYS,
  type MemberRole,
  type MintedCredential,
  PROJECT_MEMBERS_MAX,
} from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import type { Executor } from '../connection/database.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { lockProject } from '../project/lock.ts';
import { projectInvitations } from '../tables.ts';

export interface CreateInvitationInput {
  projectId: string;
  role: MemberRole;
  /** Who it is for, for the owner's list. */
  label: string;
  /** The user who invites. */
  invitedBy: string;
  /** The caller shows its plaintext once; only its digest is stored. */
  token: MintedCredential;
}

export type CreateInvitationResult =
  | { kind: 'created'; invitationId: string; expiresAt: Date }
  | { kind: 'too_many' }
  | { kind: 'not_found' };

/** Creates an invitation, which one user can accept within seven days. */
export async function createInvitation(
  ctx: VerbContext,
  input: CreateInvitationInput,
): Promise<CreateInvitationResult> {
  const { projectId, role, label, invitedBy, token } = checked(input, ['label']);
  return inTransaction(ctx, async (tx) => {
    const project = await lockProject(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    await tx
      .delete(projectInvitations)
      .where(
        and(
          eq(projectInvitations.projectId, projectId),
          sql`${projectInvitations.expiresAt} <= now()`,
        ),
      );
    if ((await countMembersAndInvitations(tx, projectId)) >= PROJECT_MEMBERS_MAX) {
      return { kind: 'too_many' };
    }
    const [created] = await tx
      .insert(projectInvitations)
      .values({
        projectId,
        role,
        label,
        invitedBy,
        tokenDigest: token.digest,
        expiresAt: sql`now() + make_interval(days => ${INVITATION_DAYS})`,
      })
      .returning({
        invitationId: projectInvitations.id,
        expiresAt: projectInvitations.expiresAt,
      });
    if (created === undefined) throw new Error('an insert returned no row');
    await writeAudit(tx, ctx, {
      action: 'invitation.create',
      target: { id: created.invitationId, label },
      projectId,
      ownerId: project.ownerId,
      after: { role, expiresAt: created.expiresAt.toISOString() },
    });
    return { kind: 'created', ...created };
  });
}

/** Revokes an invitation: its link stops working at once. */
export function revokeInvitation(
  ctx: VerbContext,
  { projectId, invitationId }: { projectId: string; invitationId: string },
): Promise<{ kind: 'revoked' | 'not_found' }> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockProject(tx, projectId);
    if (project === undefined) return { kind: 'not_found' };
    const [revoked] = await tx
      .delete(projectInvitations)
      .where(
        and(eq(projectInvitations.id, invitationId), eq(projectInvitations.projectId, projectId)),
      )
      .returning({ label: projectInvitations.label, role: projectInvitations.role });
    if (revoked === undefined) return { kind: 'not_found' };
    await writeAudit(tx, ctx, {
      action: 'invitation.revoke',
      target: { id: invitationId, label: revoked.label },
      projectId,
      ownerId: project.ownerId,
      before: { role: revoked.role },
    });
    return { kind: 'revoked' };
  });
}

async function countMembersAndInvitations(tx: Executor, projectId: string): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    select (select count(*) from project_members where project_id = ${projectId})::int
      + (select count(*) from project_invitations where project_id = ${projectId})::int as count`);
  return row?.count ?? 0;
}
