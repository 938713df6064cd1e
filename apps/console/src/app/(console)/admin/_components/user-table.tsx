'use client';

import type { UserRow } from '@ceiba/schema';
import { KeyRound, ShieldCheck, ShieldOff, Smartphone, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { CurrentPassword } from '#components/form-fields.tsx';
import { shownOnce } from '#components/shown-once.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { RowMenu, RowMenuButton } from '#components/ui/row-menu.tsx';
import { actionsColumn, Table, timeColumn } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { formatCount, plural } from '#lib/format.ts';
import {
  changeAdministrator,
  createPasswordLink,
  type NewResetLink,
  removeFactors,
  removeUser,
} from '../actions.ts';

export interface UserTableProps {
  users: readonly UserRow[];
  /** The viewer. */
  ownId: string;
  /** Whether the viewer has a password, which some changes ask for; else a fresh sign-in counts. */
  needsPassword: boolean;
  /** Below the list: links to other pages. */
  children: ReactNode;
}

interface Step {
  kind: 'promote' | 'demote' | 'reset' | 'factors' | 'delete';
  user: UserRow;
}

const shown = shownOnce<NewResetLink>(() => import('./reset-link.tsx'));
const createShownLink = shown.before(createPasswordLink, 'no link was created');

/** All accounts, or instead of them a new link. */
export const UserTable = ({ children, ...list }: UserTableProps) => (
  <shown.Step>
    <Users {...list} />
    {children}
  </shown.Step>
);

/** All accounts, the newest first. The dialogs are outside the list, because a row may leave it. */
function Users({ users, ownId, needsPassword }: Omit<UserTableProps, 'children'>) {
  const [step, setStep] = useState<Step>();
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
  onChoose: (kind: Step['kind']) => void;
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

interface UserDialogProps extends Step, Pick<UserTableProps, 'needsPassword'> {
  onClose: () => void;
}

/** One change of one account, which the administrator's own password proves. */
function UserDialog({ kind, user, needsPassword, onClose }: UserDialogProps) {
  const showLink = shown.useShow();
  const { userId, email } = user;
  const password = needsPassword && <CurrentPassword />;
  const question = (text: string) => ({
    onClose,
    description: (
      <>
        <p className="font-medium break-all text-ink">{email}</p>
        <p className="mt-2">{text}</p>
      </>
    ),
    cancel: 'Cancel',
    children: password,
  });
  switch (kind) {
    case 'promote':
      return (
        <ConfirmAction
          {...question(
            'They can change plans, accounts and retention for all users. They cannot see the projects of other users.',
          )}
          title="Make this user an administrator?"
          action={changeAdministrator}
          hidden={{ userId, isAdministrator: 'yes' }}
          done={{ title: 'Administrator added', description: email }}
          confirm="Make administrator"
          isDangerous={false}
        />
      );
    case 'demote':
      return (
        <ConfirmAction
          {...question(
            'They can no longer change plans, accounts or retention. Their own projects stay.',
          )}
          title="Remove this administrator?"
          action={changeAdministrator}
          hidden={{ userId, isAdministrator: 'no' }}
          done={{ title: 'Administrator removed', description: email }}
          confirm="Remove administrator"
        />
      );
    case 'reset':
      return (
        <ConfirmAction
          {...question(
            'The first person who opens the link can set a new password. The current one works until then; an earlier link ends now. Setting it signs the user out everywhere and removes their passkeys.',
          )}
          title="Create a link to reset the password?"
          action={createShownLink}
          hidden={{ userId }}
          onDone={showLink}
          confirm="Create link"
          isDangerous={false}
        />
      );
    case 'factors':
      return (
        <ConfirmAction
          {...question(
            'The authenticator app, the recovery codes and the passkeys of this account stop working, its access tokens are revoked, and the user is signed out everywhere. The password alone then signs in: make sure that the user asked for this.',
          )}
          title="Remove the second factor?"
          action={removeFactors}
          hidden={{ userId }}
          done={{ title: 'Second factor removed', description: email }}
          confirm="Remove second factor"
        />
      );
    case 'delete':
      return (
        <FormDialog
          onClose={onClose}
          title="Delete this account?"
          description="This cannot be undone. The user is signed out everywhere; their actions stay in the audit log."
          action={removeUser}
          hidden={{ userId }}
          done={{ title: 'Account deleted', description: email }}
          submit="Delete account"
          expected={email}
        >
          {password}
        </FormDialog>
      );
  }
}
