'use client';

import type { UserRow } from '@ceiba/schema';
import { KeyRound, ShieldCheck, ShieldOff, Smartphone, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { type ReactNode, useState } from 'react';
import { Chip } from '#components/ui/chip.tsx';
import { RowMenu, RowMenuButton } from '#components/ui/row-menu.tsx';
import { actionsColumn, Table, timeColumn } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { shownLink } from './shown-link.ts';
import type { UserStep } from './user-dialog.tsx';

// Loaded when it opens, to keep the page small.
const UserDialog = dynamic(() => import('./user-dialog.tsx').then((file) => file.UserDialog));

export interface UserTableProps {
  users: readonly UserRow[];
  /** The viewer. */
  ownId: string;
  /** Whether the viewer has a password, which some changes ask for; else a fresh sign-in counts. */
  needsPassword: boolean;
  /** Below the list: links to other pages. */
  children: ReactNode;
}

/** All accounts, or instead of them a new link. */
export const UserTable = ({ children, ...list }: UserTableProps) => (
  <shownLink.Step>
    <Users {...list} />
    {children}
  </shownLink.Step>
);

/** All accounts, the newest first. The dialogs are outside the list, because a row may leave it. */
function Users({ users, ownId, needsPassword }: Omit<UserTableProps, 'children'>) {
  const [step, setStep] = useState<UserStep>();
  return (
    <>
      <Table
        label="Accounts"
        items={users}
        keyOf={({ userId }) => userId}
        empty={<p className="py-8 text-muted">No e-mail address contains this text.</p>}
        columns={[
          {
            name: 'E-mail',
            cellClassName: 'max-md:py-3',
            cell: (user) => (
              <>
                <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
                  <span className="wrap-anywhere">{user.email}</span>
                  {user.isAdministrator && <Chip icon={ShieldCheck}>Administrator</Chip>}
                  {user.userId === ownId && <Chip>You</Chip>}
                </p>
                <p className="numbers text-small text-muted md:hidden">
                  {plural(user.projects, 'project')}, signs in with {waysOf(user)}
                  <br />
                  created <RelativeTime at={user.createdAt} inRow />
                </p>
              </>
            ),
          },
          { name: 'Signs in with', className: 'text-muted max-md:hidden', cell: waysOf },
          {
            name: 'Projects',
            numeric: true,
            className: 'max-md:hidden',
            cell: ({ projects }) => formatCount(projects),
          },
          timeColumn<UserRow>('Created', ({ createdAt }) => createdAt),
          actionsColumn<UserRow>((user) => (
            <UserMenu
              user={user}
              isOwn={user.userId === ownId}
              onChoose={(kind) => setStep({ kind, user })}
            />
          )),
        ]}
      />
      {step && (
        <UserDialog {...step} needsPassword={needsPassword} onClose={() => setStep(undefined)} />
      )}
    </>
  );
}

interface UserMenuProps {
  user: UserRow;
  isOwn: boolean;
  onChoose: (kind: UserStep['kind']) => void;
}

function UserMenu({ user, isOwn, onChoose }: UserMenuProps) {
  return (
    <RowMenu label={`Actions for ${user.email}`}>
      <RowMenuButton
        icon={user.isAdministrator ? ShieldOff : ShieldCheck}
        onChoose={() => onChoose(user.isAdministrator ? 'demote' : 'promote')}
      >
        {user.isAdministrator ? 'Remove administrator' : 'Make administrator'}
      </RowMenuButton>
      {user.hasPassword && !isOwn && (
        <RowMenuButton icon={KeyRound} onChoose={() => onChoose('reset')}>
          Reset password
        </RowMenuButton>
      )}
      {(user.hasSecondFactor || user.passkeys > 0) && !isOwn && (
        <RowMenuButton icon={Smartphone} onChoose={() => onChoose('factors')}>
          Remove second factor
        </RowMenuButton>
      )}
      <RowMenuButton
        icon={Trash2}
        isDangerous
        className="mt-1 border-t pt-2"
        onChoose={() => onChoose('delete')}
      >
        Delete account
      </RowMenuButton>
    </RowMenu>
  );
}

/** In words: "password with a code, passkey", "github". */
function waysOf({ hasPassword, hasSecondFactor, passkeys, providers }: UserRow): string {
  const password = hasSecondFactor ? 'password with a code' : 'password';
  const ways = [hasPassword && password, passkeys > 0 && 'passkey', ...providers];
  return ways.filter((way) => way !== false).join(', ') || 'nothing';
}
