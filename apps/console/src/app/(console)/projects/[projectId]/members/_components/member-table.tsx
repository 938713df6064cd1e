'use client';

import type { ProjectRole } from '@ceiba/domain';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { Button, IconButton } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { changeRole, endMembership } from '../actions.ts';

export interface MemberTableRow {
  userId: string;
  email: string;
  role: ProjectRole;
  /** ISO 8601. */
  since: string;
}

export interface MemberTableProps {
  projectId: string;
  /** The viewer of the page. */
  ownId: string;
  mayChange: boolean;
  members: readonly MemberTableRow[];
}

/** The owner and the members. The dialog is outside the list, because a row may leave it. */
export function MemberTable({ projectId, ownId, mayChange, members }: MemberTableProps) {
  const [leaving, setLeaving] = useState<MemberTableRow>();
  return (
    <>
      <Table
        label="Members"
        head={
          <>
            <HeadCell>E-mail</HeadCell>
            <HeadCell className="max-sm:hidden">Role</HeadCell>
            <HeadCell className="max-md:hidden">Since</HeadCell>
            {mayChange && <ActionsHeadCell />}
          </>
        }
      >
        {members.map((member) => (
          <Row key={member.userId}>
            <Cell className="max-md:py-3">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                <span className="wrap-anywhere">{member.email}</span>
                {member.userId === ownId && <Chip className="max-sm:hidden">You</Chip>}
              </p>
              <p className="text-small text-muted capitalize sm:hidden">
                {member.role}
                {member.userId === ownId && ' (you)'}
              </p>
            </Cell>
            <Cell className="capitalize max-sm:hidden">{member.role}</Cell>
            <Cell className="whitespace-nowrap text-muted max-md:hidden">
              <RelativeTime at={member.since} inRow />
            </Cell>
            {mayChange && (
              <Cell className="w-px whitespace-nowrap">
                {member.role !== 'owner' && (
                  <div className="flex items-end justify-end gap-1 max-sm:flex-col-reverse">
                    <SwitchRole projectId={projectId} member={member} />
                    <IconButton
                      icon={UserMinus}
                      label={`Remove ${member.email}`}
                      onClick={() => setLeaving(member)}
                    />
                  </div>
                )}
              </Cell>
            )}
          </Row>
        ))}
      </Table>
      {leaving && (
        <RemoveDialog
          projectId={projectId}
          member={leaving}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  );
}

interface MemberProps {
  projectId: string;
  member: MemberTableRow;
}

/** Changes to the other role, which can be undone, so it does not ask. */
function SwitchRole({ projectId, member: { userId, email, role } }: MemberProps) {
  const toast = useToast();
  const other = role === 'viewer' ? 'developer' : 'viewer';
  return (
    <ActionForm
      action={changeRole}
      hidden={{ projectId, userId, role: other }}
      onDone={() => toast({ title: 'Role changed', description: `${email} is now ${other}` })}
    >
      {({ pending }) => (
        <Button type="submit" size="sm" variant="quiet" pending={pending}>
          Make {other}
          <span className="sr-only"> {email}</span>
        </Button>
      )}
    </ActionForm>
  );
}

function RemoveDialog({ projectId, member, onClose }: MemberProps & { onClose: () => void }) {
  const toast = useToast();
  return (
    <ConfirmAction
      open
      onOpenChange={(open) => !open && onClose()}
      title="Remove this member?"
      description={
        <>
          <p className="font-medium break-all text-ink">{member.email}</p>
          <p className="mt-2">
            They lose access from their next request on. If they know the project secret or a key,
            rotate the secret and revoke the key too.
          </p>
        </>
      }
      action={endMembership}
      hidden={{ projectId, userId: member.userId }}
      onDone={() => {
        toast({ title: 'Member removed', description: member.email });
        onClose();
      }}
      cancel="Keep member"
      confirm="Remove member"
    />
  );
}
