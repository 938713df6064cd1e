import {
  INVITATION_DAYS,
  type MemberRole,
  type MintedCredential,
  PROJECT_MEMBERS_MAX,
} from '@ceiba/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
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
  return changingProject(ctx, projectId, async (tx, _, audit) => {
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
    const target = { id: created.invitationId, label };
    const after = { role, expiresAt: created.expiresAt.toISOString() };
    await audit('invitation.create', target, { after });
    return { kind: 'created', ...created };
  });
}

/** Revokes an invitation: its link stops working at once. */
export function revokeInvitation(
  ctx: VerbContext,
  { projectId, invitationId }: { projectId: string; invitationId: string },
): Promise<{ kind: 'revoked' | 'not_found' }> {
  return changingProject(ctx, projectId, async (tx, _, audit) => {
    const [revoked] = await tx
      .delete(projectInvitations)
      .where(
        and(eq(projectInvitations.id, invitationId), eq(projectInvitations.projectId, projectId)),
      )
      .returning({ label: projectInvitations.label, role: projectInvitations.role });
    if (revoked === undefined) return { kind: 'not_found' };
    const { label, ...before } = revoked;
    await audit('invitation.revoke', { id: invitationId, label }, { before });
    return { kind: 'revoked' };
  });
}

async function countMembersAndInvitations(tx: Executor, projectId: string): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    select (select count(*) from project_members where project_id = ${projectId})::int
      + (select count(*) from project_invitations where project_id = ${projectId})::int as count`);
  return row?.count ?? 0;
}
