'use client';

import { KeyRound, ShieldCheck, ShieldOff, Smartphone, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { CurrentPassword } from '#components/form-fields.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { ConfirmName } from '#components/ui/confirm-name.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { RowMenu, RowMenuButton } from '#components/ui/row-menu.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { shownWith } from '#lib/action-state.ts';
import { formatCount, plural } from '#lib/format.ts';
import {
  changeAdministrator,
  createPasswordLink,
  type NewResetLink,
  removeFactors,
  removeUser,
} from '../actions.ts';

export interface UserTableRow {
  userId: string;
  email: string;
  isAdministrator: boolean;
  hasPassword: boolean;
  providers: readonly string[];
  hasSecondFactor: boolean;
  passkeys: number;
  projects: number;
  /** ISO 8601. */
  createdAt: string;
}

export interface UserTableProps {
  users: readonly UserTableRow[];
  /** The viewer. */
  ownId: string;
  /** Whether the viewer has a password, which some changes ask for; else a fresh sign-in counts. */
  needsPassword: boolean;
  newer: string | null;
  older: string | null;
}

type Step = { kind: 'administrator' | 'reset' | 'factors' | 'delete'; user: UserTableRow };

// Loaded when the dialog opens, to keep the page small.
const loadLink = () => import('./reset-link.tsx');
const ResetLink = dynamic(loadLink);

const createShownLink = shownWith(
  loadLink,
  createPasswordLink,
  'Part of this page failed to load, so no link was created. Reload the page and try again.',
);

/**
 * All accounts, the newest first. The dialogs are outside the list, because a row may leave it.
 */
export function UserTable({ users, ownId, needsPassword, newer, older }: UserTableProps) {
  const [step, setStep] = useState<Step>();
  const [created, setCreated] = useState<NewResetLink>();
  const close = () => setStep(undefined);
  if (created !== undefined) {
    return <ResetLink created={created} onDone={() => setCreated(undefined)} />;
  }
  return (
    <>
      {users.length === 0 ? (
        <p className="py-8 text-muted">No e-mail address contains this text.</p>
      ) : (
        <Table
          label="Accounts"
          head={
            <>
              <HeadCell>E-mail</HeadCell>
              <HeadCell className="max-md:hidden">Signs in with</HeadCell>
              <HeadCell numeric className="max-md:hidden">
                Projects
              </HeadCell>
              <HeadCell className="max-md:hidden">Created</HeadCell>
              <ActionsHeadCell />
            </>
          }
        >
          {users.map((user) => (
            <UserCells
              key={user.userId}
              user={user}
              isOwn={user.userId === ownId}
              onStep={setStep}
            />
          ))}
        </Table>
      )}
      <PageLinks previous={newer} next={older} names={['Newer', 'Older']} />
      {step?.kind === 'administrator' && (
        <AdministratorDialog needsPassword={needsPassword} user={step.user} onClose={close} />
      )}
      {step?.kind === 'reset' && (
        <ResetDialog
          needsPassword={needsPassword}
          user={step.user}
          onClose={close}
          onCreated={setCreated}
        />
      )}
      {step?.kind === 'factors' && (
        <FactorsDialog needsPassword={needsPassword} user={step.user} onClose={close} />
      )}
      {step?.kind === 'delete' && (
        <DeleteDialog needsPassword={needsPassword} user={step.user} onClose={close} />
      )}
    </>
  );
}

interface UserCellsProps {
  user: UserTableRow;
  isOwn: boolean;
  onStep: (step: Step) => void;
}

function UserCells({ user, isOwn, onStep }: UserCellsProps) {
  const ways = waysOf(user);
  return (
    <Row>
      <Cell className="max-md:py-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
          <span className="wrap-anywhere">{user.email}</span>
          {user.isAdministrator && <Chip icon={ShieldCheck}>Administrator</Chip>}
          {isOwn && <Chip>You</Chip>}
        </p>
        <p className="numbers text-small text-muted md:hidden">
          {plural(user.projects, 'project')}, signs in with {ways.join(', ') || 'nothing'}
          <br />
          created <RelativeTime at={user.createdAt} inRow />
        </p>
      </Cell>
      <Cell className="text-muted max-md:hidden">{ways.join(', ') || 'nothing'}</Cell>
      <Cell numeric className="max-md:hidden">
        {formatCount(user.projects)}
      </Cell>
      <Cell className="whitespace-nowrap text-muted max-md:hidden">
        <RelativeTime at={user.createdAt} inRow />
      </Cell>
      <Cell className="w-px text-right whitespace-nowrap">
        <RowMenu label={`Actions for ${user.email}`}>
          <RowMenuButton
            icon={user.isAdministrator ? ShieldOff : ShieldCheck}
            onChoose={() => onStep({ kind: 'administrator', user })}
          >
            {user.isAdministrator ? 'Remove administrator' : 'Make administrator'}
          </RowMenuButton>
          {user.hasPassword && !isOwn && (
            <RowMenuButton icon={KeyRound} onChoose={() => onStep({ kind: 'reset', user })}>
              Reset password
            </RowMenuButton>
          )}
          {(user.hasSecondFactor || user.passkeys > 0) && !isOwn && (
            <RowMenuButton icon={Smartphone} onChoose={() => onStep({ kind: 'factors', user })}>
              Remove second factor
            </RowMenuButton>
          )}
          <RowMenuButton
            icon={Trash2}
            isDangerous
            className="mt-1 border-t pt-2"
            onChoose={() => onStep({ kind: 'delete', user })}
          >
            Delete account
          </RowMenuButton>
        </RowMenu>
      </Cell>
    </Row>
  );
}

/** In words: "password with a code", "passkey", "github". */
const waysOf = ({ hasPassword, hasSecondFactor, passkeys, providers }: UserTableRow): string[] => [
  ...(hasPassword ? [hasSecondFactor ? 'password with a code' : 'password'] : []),
  ...(passkeys > 0 ? ['passkey'] : []),
  ...providers,
];

interface UserDialogProps extends Pick<UserTableProps, 'needsPassword'> {
  user: UserTableRow;
  onClose: () => void;
}

function AdministratorDialog({ user, needsPassword, onClose }: UserDialogProps) {
  const toast = useToast();
  const isRemoval = user.isAdministrator;
  return (
    <ConfirmAction
      open
      onOpenChange={(open) => !open && onClose()}
      title={isRemoval ? 'Remove this administrator?' : 'Make this user an administrator?'}
      description={
        <>
          <p className="font-medium break-all text-ink">{user.email}</p>
          <p className="mt-2">
            {isRemoval
              ? 'They can no longer change plans, accounts or retention. Their own projects stay.'
              : 'They can change plans, accounts and retention for all users. They cannot see the projects of other users.'}
          </p>
        </>
      }
      action={changeAdministrator}
      hidden={{ userId: user.userId, isAdministrator: isRemoval ? 'no' : 'yes' }}
      onDone={() => {
        toast({
          title: isRemoval ? 'Administrator removed' : 'Administrator added',
          description: user.email,
        });
        onClose();
      }}
      cancel="Cancel"
      confirm={isRemoval ? 'Remove administrator' : 'Make administrator'}
      isDangerous={isRemoval}
    >
      {(parts) => needsPassword && <CurrentPassword {...parts} />}
    </ConfirmAction>
  );
}

function ResetDialog({
  user,
  needsPassword,
  onClose,
  onCreated,
}: UserDialogProps & { onCreated: (created: NewResetLink) => void }) {
  return (
    <ConfirmAction
      open
      onOpenChange={(open) => !open && onClose()}
      title="Create a link to reset the password?"
      description={
        <>
          <p className="font-medium break-all text-ink">{user.email}</p>
          <p className="mt-2">
            The first person who opens the link can set a new password. The current one works until
            then; an earlier link ends now. Setting it signs the user out everywhere and removes
            their passkeys.
          </p>
        </>
      }
      action={createShownLink}
      hidden={{ userId: user.userId }}
      onDone={(created) => {
        onClose();
        onCreated(created);
      }}
      cancel="Cancel"
      confirm="Create link"
      isDangerous={false}
    >
      {(parts) => needsPassword && <CurrentPassword {...parts} />}
    </ConfirmAction>
  );
}

function FactorsDialog({ user, needsPassword, onClose }: UserDialogProps) {
  const toast = useToast();
  return (
    <ConfirmAction
      open
      onOpenChange={(open) => !open && onClose()}
      title="Remove the second factor?"
      description={
        <>
          <p className="font-medium break-all text-ink">{user.email}</p>
          <p className="mt-2">
            The authenticator app, the recovery codes and the passkeys of this account stop working,
            and the user is signed out everywhere. The password alone then signs in: make sure that
            the user asked for this.
          </p>
        </>
      }
      action={removeFactors}
      hidden={{ userId: user.userId }}
      onDone={() => {
        toast({ title: 'Second factor removed', description: user.email });
        onClose();
      }}
      cancel="Cancel"
      confirm="Remove second factor"
    >
      {(parts) => needsPassword && <CurrentPassword {...parts} />}
    </ConfirmAction>
  );
}

function DeleteDialog({ user, needsPassword, onClose }: UserDialogProps) {
  const toast = useToast();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delete this account?"
      description="This cannot be undone. The user is signed out everywhere; their actions stay in the audit log."
    >
      <ActionForm
        action={removeUser}
        hidden={{ userId: user.userId }}
        onDone={() => {
          toast({ title: 'Account deleted', description: user.email });
          onClose();
        }}
      >
        {({ pending, errorOf }) => (
          <div className="grid gap-4">
            {needsPassword && <CurrentPassword errorOf={errorOf} />}
            <ConfirmName
              expected={user.email}
              name="confirmation"
              actionLabel="Delete account"
              pending={pending}
              error={errorOf('confirmation')}
            />
          </div>
        )}
      </ActionForm>
    </Dialog>
  );
}
