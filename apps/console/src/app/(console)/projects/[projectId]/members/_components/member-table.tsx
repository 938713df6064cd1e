'use client';

import type { ProjectMember } from '@ceiba/schema';
import { clsx } from 'clsx';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { IconButton } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { endMembership } from '../actions.ts';
import { RoleChoice } from './role-choice.tsx';

export interface MemberTableProps {
  projectId: string;
  /** The viewer of the page. */
  ownId: string;
  mayChange: boolean;
  members: readonly ProjectMember[];
}

/** The owner and the members. The dialog is outside the list, because a row may leave it. */
export function MemberTable({ projectId, ownId, mayChange, members }: MemberTableProps) {
  const [leaving, setLeaving] = useState<ProjectMember>();
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
          hidden={{ projectId, userId: leaving.userId }}
          done={{ title: 'Member removed', description: leaving.email }}
          cancel="Keep member"
          confirm="Remove member"
        />
      )}
    </>
  );
}
