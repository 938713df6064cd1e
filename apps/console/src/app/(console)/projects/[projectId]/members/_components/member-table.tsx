'use client';

import type { ProjectMember, SecondFactorState } from '@ceiba/schema';
import { clsx } from 'clsx';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { IconButton } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Link } from '#components/ui/link.tsx';
import { actionsColumn, Table, timeColumn } from '#components/ui/table.tsx';
import { endMembership } from '../actions.ts';
import { RoleChoice } from './role-choice.tsx';

export interface MemberTableProps {
  projectId: string;
  /** The viewer of the page. */
  ownId: string;
  mayChange: boolean;
  /** Where it is, a password does not sign in to an account with a passkey. */
  isSecondFactorRequired: boolean;
  members: readonly Member[];
}

/** Only the owner sees how others sign in. */
type Member = Omit<ProjectMember, 'secondFactor'> & Partial<Pick<ProjectMember, 'secondFactor'>>;

const SECOND_FACTOR_WORDS: Record<SecondFactorState, string> = {
  app: 'Authenticator app',
  passkey: 'Passkey',
  provider: 'At the provider',
  none: 'None',
};

function SecondFactor({ state, isRequired }: { state: SecondFactorState; isRequired: boolean }) {
  return (
    <span className={state === 'none' && isRequired ? 'text-limit-text' : 'text-muted'}>
      {SECOND_FACTOR_WORDS[state]}
      {state === 'passkey' && !isRequired && ', or password alone'}
    </span>
  );
}

/** The owner and the members. The dialog is outside the list, because a row may leave it. */
export function MemberTable({
  projectId,
  ownId,
  mayChange,
  isSecondFactorRequired,
  members,
}: MemberTableProps) {
  const [leaving, setLeaving] = useState<Member>();
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
            cell: ({ email, userId, role, secondFactor }) => (
              <>
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                  <span className="wrap-anywhere">{email}</span>
                  {userId === ownId && <Chip className="max-sm:hidden">You</Chip>}
                </p>
                <p className="text-small text-muted sm:hidden">
                  {!mayChange && <span className="capitalize">{role}</span>}
                  {userId === ownId && (mayChange ? 'You' : ' (you)')}
                </p>
                {secondFactor && (
                  <p className="text-small md:hidden">
                    <span className="text-muted">Second factor:</span>{' '}
                    <SecondFactor state={secondFactor} isRequired={isSecondFactorRequired} />
                  </p>
                )}
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
          mayChange && {
            name: 'Second factor',
            className: 'whitespace-nowrap max-md:hidden',
            cell: ({ secondFactor }) =>
              secondFactor && (
                <SecondFactor state={secondFactor} isRequired={isSecondFactorRequired} />
              ),
          },
          timeColumn<Member>('Since', ({ since }) => since),
          mayChange &&
            actionsColumn<Member>(
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
              <p className="mt-2">
                Alerts still go to the addresses under{' '}
                <Link href={`/projects/${projectId}/alerts`} className="underline">
                  Alerts
                </Link>
                ; remove theirs.
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
