'use client';

import type { OpenInvitation } from '@ceiba/schema';
import { ActionButton } from '#components/submit-form.tsx';
import { Name } from '#components/ui/name.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { legible } from '#lib/text.ts';
import { withdrawInvitation } from '../actions.ts';

export interface InvitationTableProps {
  projectId: string;
  invitations: readonly OpenInvitation[];
}

/** The invitations that can still be accepted. */
export function InvitationTable({ projectId, invitations }: InvitationTableProps) {
  return (
    <Table
      label="Invitations"
      head={
        <>
          <HeadCell>For</HeadCell>
          <HeadCell>Role</HeadCell>
          <HeadCell className="max-md:hidden">Created</HeadCell>
          <HeadCell className="max-sm:hidden">Expires</HeadCell>
          <ActionsHeadCell />
        </>
      }
    >
      {invitations.map(({ invitationId, label, role, createdAt, expiresAt }) => (
        <Row key={invitationId}>
          <Cell className="font-medium wrap-anywhere">
            <Name>{label}</Name>
          </Cell>
          <Cell className="capitalize">{role}</Cell>
          <Cell className="whitespace-nowrap text-muted max-md:hidden">
            <RelativeTime at={createdAt} inRow />
          </Cell>
          <Cell className="whitespace-nowrap text-muted max-sm:hidden">
            <RelativeTime at={expiresAt} inRow />
          </Cell>
          <Cell className="w-px">
            <ActionButton
              action={withdrawInvitation}
              hidden={{ projectId, invitationId }}
              done={{ title: 'Invitation revoked', description: legible(label) }}
              size="sm"
              variant="quiet"
            >
              Revoke<span className="sr-only"> the invitation for {legible(label)}</span>
            </ActionButton>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
