'use client';

import type { ProjectMember } from '@ceiba/schema';
import { clsx } from 'clsx';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { IconButton } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { actionsColumn, Table, timeColumn } from '#components/ui/table.tsx';
import { endMembership } from '../actions.ts';
import { RoleChoice } from './role-choice.tsx';

export interface MemberTableProps {
  /** The viewer of the page. */
  ownId: string;
  mayChange: boolean;
  members: readonly ProjectMember[];
}

/** The owner and the members. The dialog is outside the list, because a row may leave it. */
export function MemberTable({ ownId, mayChange, members }: MemberTableProps) {
  const [leaving, setLeaving] = useState<ProjectMember>();
  return (
    <>
      <Table
        label="Members"
        items={members}
        keyOf={({ userId }) => userId}
        columns={[
          {
            name: 'E-mail',
            className: 'w-full',
            cellClassName: 'max-md:py-3',
            cell: ({ email, userId, role }) => (
              <>
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                  <span className="wrap-anywhere">{email}</span>
                  {userId === ownId && <Chip className="max-sm:hidden">You</Chip>}
                </p>
                <p className="text-small text-muted sm:hidden">
                  {!mayChange && <span className="capitalize">{role}</span>}
                  {userId === ownId && (mayChange ? 'You' : ' (you)')}
                </p>
              </>
            ),
          },
          {
            name: 'Role',
            // On a phone the role is below the address, unless it can be changed.
            className: clsx('whitespace-nowrap', mayChange ? 'max-sm:pl-0' : 'max-sm:hidden'),
            cell: (member) =>
              mayChange && member.role !== 'owner' ? (
                <RoleChoice member={member} />
              ) : (
                <span className="capitalize">{member.role}</span>
              ),
          },
          timeColumn<ProjectMember>('Since', ({ since }) => since),
          mayChange &&
            actionsColumn<ProjectMember>(
              (member) =>
                member.role !== 'owner' && (
                  <IconButton
                    icon={UserMinus}
                    label={`Remove ${member.email}`}
                    onClick={() => setLeaving(member)}
                  />
                ),
              'w-px whitespace-nowrap max-sm:pl-0',
            ),
        ]}
      />
      {leaving && (
        <ConfirmAction
          onClose={() => setLeaving(undefined)}
          title="Remove this member?"
          description={
            <>
              <p className="font-medium break-all text-ink">{leaving.email}</p>
              <p className="mt-2">
                They lose access from their next request on. If they know the project secret or a
                key, rotate the secret and revoke the key too.
              </p>
            </>
          }
          action={endMembership}
          hidden={{ userId: leaving.userId }}
          done={{ title: 'Member removed', description: leaving.email }}
          cancel="Keep member"
          confirm="Remove member"
        />
      )}
    </>
  );
}
