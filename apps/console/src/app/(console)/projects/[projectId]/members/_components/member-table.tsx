'use client';

import type { ProjectRole } from '@ceiba/domain';
import { clsx } from 'clsx';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { IconButton } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { endMembership } from '../actions.ts';
import { RoleChoice } from './role-choice.tsx';

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
  // On a phone the role is below the address, unless it can be changed.
  const roleColumn = mayChange ? 'max-sm:pl-0' : 'max-sm:hidden';
  return (
    <>
      <Table
        label="Members"
        head={
          <>
            <HeadCell>E-mail</HeadCell>
            <HeadCell className={roleColumn}>Role</HeadCell>
            <HeadCell className="max-md:hidden">Since</HeadCell>
            {mayChange && <ActionsHeadCell />}
          </>
        }
      >
        {members.map((member) => (
          <Row key={member.userId}>
            <Cell className="w-full max-md:py-3">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                <span className="wrap-anywhere">{member.email}</span>
                {member.userId === ownId && <Chip className="max-sm:hidden">You</Chip>}
              </p>
              <p className="text-small text-muted sm:hidden">
                {!mayChange && <span className="capitalize">{member.role}</span>}
                {member.userId === ownId && (mayChange ? 'You' : ' (you)')}
              </p>
            </Cell>
            <Cell className={clsx('whitespace-nowrap', roleColumn)}>
              {mayChange && member.role !== 'owner' ? (
                <RoleChoice projectId={projectId} member={member} />
              ) : (
                <span className="capitalize">{member.role}</span>
              )}
            </Cell>
            <Cell className="whitespace-nowrap text-muted max-md:hidden">
              <RelativeTime at={member.since} inRow />
            </Cell>
            {mayChange && (
              <Cell className="w-px whitespace-nowrap max-sm:pl-0">
                {member.role !== 'owner' && (
                  <IconButton
                    icon={UserMinus}
                    label={`Remove ${member.email}`}
                    onClick={() => setLeaving(member)}
                  />
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

interface RemoveDialogProps {
  projectId: string;
  member: MemberTableRow;
  onClose: () => void;
}

function RemoveDialog({ projectId, member, onClose }: RemoveDialogProps) {
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
