'use server';

import { randomBytes } from 'node:crypto';
import { MEMBER_ROLES, type MemberRole, mintInvitation, PROJECT_MEMBERS_MAX } from '@ceiba/domain';
import {
  createInvitation,
  leaveProject,
  removeMember,
  revokeInvitation,
  setMemberRole,
} from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { projectAction, refuse } from '#server/action.ts';
import { done, PROJECT_GONE, settle } from '#server/settle.ts';
import { env } from '../../../../../env.ts';
import { typedText } from '../../../../../lib/typed.ts';

/** Shown once: the link is in this answer and nowhere else. */
export interface NewInvitation {
  link: string;
  label: string;
  role: MemberRole;
  /** ISO 8601. */
  expiresAt: string;
}

/**
 * Creates an invitation and returns its link. The token is in the fragment, which browsers send to no
 * server, neither in requests nor as `Referer`.
 */
export const inviteMember = projectAction({
  right: 'change_members',
  showsOnce: true,
  input: z.object({ label: typedText, role: z.enum(MEMBER_ROLES) }),
  async run({ ctx, user, projectId }, { label, role }): Promise<NewInvitation> {
    const token = mintInvitation(randomBytes);
    const invitation = { projectId, role, label, invitedBy: user.userId, token };
    const { expiresAt } = settle(await createInvitation(ctx, invitation), {
      not_found: PROJECT_GONE,
      too_many: `A project has at most ${PROJECT_MEMBERS_MAX} members, open invitations included. Remove a member or revoke an invitation first.`,
    });
    const link = `${env().publicOrigin}/join#${token.plaintext}`;
    return { link, label, role, expiresAt: expiresAt.toISOString() };
  },
});

/** Ends an invitation that was not accepted. */
export const withdrawInvitation = projectAction({
  right: 'change_members',
  input: z.object({ invitationId: z.guid() }),
  run: async ({ ctx, projectId }, { invitationId }) =>
    done(await revokeInvitation(ctx, { projectId, invitationId }), {
      not_found:
        'The invitation was accepted or revoked in the meantime, or it has expired. Nothing was changed.',
    }),
});

const memberId = { userId: z.guid() };

/** Changes a member's role, and returns it. */
export const changeRole = projectAction({
  right: 'change_members',
  input: z.object({ ...memberId, role: z.enum(MEMBER_ROLES) }),
  async run({ ctx, projectId }, { userId, role }): Promise<MemberRole> {
    settle(await setMemberRole(ctx, { projectId, userId, role }), MEMBER_GONE);
    return role;
  },
});

/** Removes a member. */
export const endMembership = projectAction({
  right: 'change_members',
  input: z.object(memberId),
  run: async ({ ctx, projectId }, { userId }) =>
    done(await removeMember(ctx, { projectId, userId }), MEMBER_GONE),
});

/** Ends the user's own membership. */
export const leave = projectAction({
  right: 'leave',
  input: z.object({}),
  async run({ ctx, user, projectId }): Promise<null> {
    const result = await leaveProject(ctx, { projectId, userId: user.userId });
    if (result.kind === 'not_found') {
      refuse('conflict', 'You own this project. Transfer it to a member first.');
    }
    redirect('/projects');
  },
});

const MEMBER_GONE = {
  not_found: 'The member left or was removed in the meantime. Nothing was changed.',
};
