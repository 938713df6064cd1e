'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Name } from '#components/ui/name.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { legible } from '#lib/text.ts';
import { withdrawInvitation } from '../actions.ts';

export interface InvitationTableProps {
  projectId: string;
  invitations: readonly {
    invitationId: string;
    label: string;
    role: string;
    /** ISO 8601. */
    createdAt: string;
    expiresAt: string;
  }[];
}

/** The invitations that can still be accepted. */
export function InvitationTable({ projectId, invitations }: InvitationTableProps) {
  const toast = useToast();
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
            <ActionForm
              action={withdrawInvitation}
              hidden={{ projectId, invitationId }}
              onDone={() => toast({ title: 'Invitation revoked', description: legible(label) })}
            >
              {({ pending }) => (
                <Button type="submit" size="sm" variant="quiet" pending={pending}>
                  Revoke<span className="sr-only"> the invitation for {legible(label)}</span>
                </Button>
              )}
            </ActionForm>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
