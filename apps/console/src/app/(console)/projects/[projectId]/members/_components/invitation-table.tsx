'use client';

import type { OpenInvitation } from '@ceiba/schema';
import { ActionButton } from '#components/submit-form.tsx';
import { Name } from '#components/ui/name.tsx';
import { actionsColumn, Table, timeColumn } from '#components/ui/table.tsx';
import { legible } from '#lib/text.ts';
import { withdrawInvitation } from '../actions.ts';

/** The invitations that can still be accepted. */
export const InvitationTable = ({ invitations }: { invitations: readonly OpenInvitation[] }) => (
  <Table
    label="Invitations"
    items={invitations}
    keyOf={({ invitationId }) => invitationId}
    columns={[
      {
        name: 'For',
        className: 'font-medium wrap-anywhere',
        cell: ({ label }) => <Name>{label}</Name>,
      },
      { name: 'Role', className: 'capitalize', cell: ({ role }) => role },
      timeColumn<OpenInvitation>('Created', ({ createdAt }) => createdAt),
      timeColumn<OpenInvitation>('Expires', ({ expiresAt }) => expiresAt, 'max-sm:hidden'),
      actionsColumn<OpenInvitation>(({ invitationId, label }) => (
        <ActionButton
          action={withdrawInvitation}
          hidden={{ invitationId }}
          done={{ title: 'Invitation revoked', description: legible(label) }}
          size="sm"
          variant="quiet"
        >
          Revoke<span className="sr-only"> the invitation for {legible(label)}</span>
        </ActionButton>
      )),
    ]}
  />
);
