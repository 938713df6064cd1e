import { INVITATION_DAYS } from '@ceiba/domain/constants';
import { isSecondFactorRequired, listInvitations, listMembers } from '@ceiba/schema';
import type { Metadata } from 'next';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { InvitationTable } from './_components/invitation-table.tsx';
import { InviteMember, InviteStep } from './_components/invite-member.tsx';
import { LeaveProject } from './_components/leave-project.tsx';
import { MemberTable } from './_components/member-table.tsx';
import { ROLE_WORDS } from './_components/role-words.ts';

export const metadata: Metadata = { title: 'Members' };

export default async function MembersPage({ params }: PageProps<'projectId'>) {
  const { user, project, role, may } = await requireProject((await params).projectId);
  const { projectId, name } = project;
  const mayChange = may('change_members');
  const [members, invitations, isRequired] = await withDatabase((db) =>
    Promise.all([
      listMembers(db, projectId),
      mayChange ? listInvitations(db, projectId) : [],
      mayChange && isSecondFactorRequired(db),
    ]),
  );
  return (
    <Column>
      <InviteStep>
        <PageHeader
          title="Members"
          guide="member"
          description="Who may work in this project. A change of a role applies from that member’s next request on."
        />
        <MemberTable
          projectId={projectId}
          ownId={user.userId}
          mayChange={mayChange}
          isSecondFactorRequired={isRequired}
          // How others sign in is for the owner alone.
          members={members.map(({ secondFactor, ...member }) =>
            mayChange ? { ...member, secondFactor } : member,
          )}
        />
        <dl className="mt-4 mb-8 grid gap-x-4 gap-y-1 text-small text-muted sm:grid-cols-[6rem_1fr]">
          {Object.entries(ROLE_WORDS).map(([word, what]) => (
            <div key={word} className="contents">
              <dt className="font-medium text-ink capitalize">{word}</dt>
              <dd className="max-sm:mb-2">{what}</dd>
            </div>
          ))}
        </dl>
        {mayChange && (
          <>
            <Section
              title="Invite"
              description={`Creates a link that one person can accept within ${INVITATION_DAYS} days, with any account of this console.`}
            >
              <InviteMember />
            </Section>
            {invitations.length > 0 && (
              <Section
                title="Open invitations"
                description="Their links were shown once. Revoke one to end it."
              >
                <InvitationTable invitations={invitations} />
              </Section>
            )}
          </>
        )}
        {role !== 'owner' && (
          <Section
            title="Leave project"
            description="You lose access at once. To return, you need a new invitation."
          >
            <LeaveProject name={name} />
          </Section>
        )}
      </InviteStep>
    </Column>
  );
}
