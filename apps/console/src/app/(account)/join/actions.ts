'use server';

import type { MemberRole } from '@ceiba/domain';
import { digestOf, isWellFormedInvitation } from '@ceiba/domain';
import { acceptInvitation, findInvitation } from '@ceiba/schema';
import { z } from 'zod';
import { publicAction, refuse, userAction } from '#server/action.ts';
import { settle } from '#server/settle.ts';

/** What the holder of an invitation sees before they accept it. */
export interface OfferedProject {
  projectName: string;
  role: MemberRole;
  invitedBy: string;
  /** ISO 8601. */
  expiresAt: string;
}

// The name ends like a credential's, so that a refusal does not send it back.
const invitation = z.object({ invitationSecret: z.string().max(256) });

/** Shows what an invitation offers. The invitation itself is the proof that the caller may see it. */
export const readInvitation = publicAction({
  readsOnly: true,
  input: invitation,
  async run({ inDatabase }, { invitationSecret }): Promise<OfferedProject> {
    if (!isWellFormedInvitation(invitationSecret)) refuse('invalid', INCOMPLETE);
    const offered = await inDatabase(({ db }) => findInvitation(db, digestOf(invitationSecret)));
    if (offered === null) refuse('not_found', GONE);
    const { projectName, role, invitedBy, expiresAt } = offered;
    return { projectName, role, invitedBy, expiresAt: expiresAt.toISOString() };
  },
});

/** Makes the signed-in user a member. */
export const acceptOffer = userAction({
  input: invitation,
  async run({ inDatabase, user }, { invitationSecret }): Promise<{ projectId: string }> {
    if (!isWellFormedInvitation(invitationSecret)) refuse('invalid', INCOMPLETE);
    const { userId, email } = user;
    const tokenDigest = digestOf(invitationSecret);
    const result = await inDatabase((ctx) => acceptInvitation(ctx, { tokenDigest, userId, email }));
    const { projectId } = settle(result, {
      is_member:
        'You have access to this project already. The invitation is still open for another account.',
      not_found: GONE,
    });
    return { projectId };
  },
});

const INCOMPLETE = 'This link is not complete. Copy the whole link, up to its last character.';
const GONE = 'This invitation was accepted or revoked, or it has expired. Ask for a new one.';
