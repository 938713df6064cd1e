'use client';

import { ShieldCheck, ShieldOff, Trash2 } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { ConfirmName } from '#components/ui/confirm-name.tsx';
import { AlertDialog, AlertDialogCancel, Dialog, DialogFooter } from '#components/ui/dialog.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { changeAdministrator, removeUser } from '../actions.ts';

export interface UserTableRow {
  userId: string;
  email: string;
  isAdministrator: boolean;
  hasPassword: boolean;
  providers: readonly string[];
  projects: number;
  /** ISO 8601. */
  createdAt: string;
}

export interface UserTableProps {
  users: readonly UserTableRow[];
  /** Who is looking. */
  ownId: string;
  newer: string | null;
  older: string | null;
}

type Asked = { kind: 'administrator' | 'delete'; user: UserTableRow };

/**
 * Everybody who has an account, the newest first. The questions stand beside the list, so that the
 * last one to leave it takes neither question nor answer along.
 */
export function UserTable({ users, ...rest }: UserTableProps) {
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  return (
    <>
      {users.length === 0 ? (
        <p className="py-8 text-muted">No address has this in it.</p>
      ) : (
        <UserList users={users} {...rest} ask={setAsked} />
      )}
      <AdministratorQuestion
        user={asked?.kind === 'administrator' ? asked.user : undefined}
        onClose={close}
      />
      <DeleteQuestion user={asked?.kind === 'delete' ? asked.user : undefined} onClose={close} />
    </>
  );
}

interface UserListProps extends UserTableProps {
  ask: (asked: Asked) => void;
}

function UserList({ users, ownId, newer, older, ask }: UserListProps) {
  return (
    <>
      <Table label="Accounts">
        <TableHead>
          <Row>
            <HeadCell>Address</HeadCell>
            <HeadCell className="max-md:hidden">Signs in by</HeadCell>
            <HeadCell numeric className="max-md:hidden">
              Projects
            </HeadCell>
            <HeadCell className="max-md:hidden">Since</HeadCell>
            <HeadCell className="relative">
              <span className="sr-only">Change</span>
            </HeadCell>
          </Row>
        </TableHead>
        <TableBody>
          {users.map((user) => (
            <UserCells key={user.userId} user={user} isOwn={user.userId === ownId} ask={ask} />
          ))}
        </TableBody>
      </Table>
      {(newer !== null || older !== null) && (
        <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
          {newer !== null && (
            <Button asChild size="sm">
              <Link href={newer}>Newer</Link>
            </Button>
          )}
          {older !== null && (
            <Button asChild size="sm">
              <Link href={older}>Older</Link>
            </Button>
          )}
        </nav>
      )}
    </>
  );
}

interface UserCellsProps {
  user: UserTableRow;
  isOwn: boolean;
  ask: (asked: Asked) => void;
}

function UserCells({ user, isOwn, ask }: UserCellsProps) {
  const ways = [...(user.hasPassword ? ['password'] : []), ...user.providers];
  const Shield = user.isAdministrator ? ShieldOff : ShieldCheck;
  return (
    <Row>
      <Cell className="max-md:py-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
          <span className="wrap-anywhere">{user.email}</span>
          {user.isAdministrator && <Chip icon={ShieldCheck}>Administrator</Chip>}
          {isOwn && <Chip>You</Chip>}
        </p>
        <p className="numbers text-small text-muted md:hidden">
          {plural(user.projects, 'project')}, signs in by {ways.join(', ') || 'nothing'}
          <br />
          since <RelativeTime at={user.createdAt} />
        </p>
      </Cell>
      <Cell className="text-muted max-md:hidden">{ways.join(', ') || 'nothing'}</Cell>
      <Cell numeric className="max-md:hidden">
        {formatCount(user.projects)}
      </Cell>
      <Cell className="whitespace-nowrap text-muted max-md:hidden">
        <RelativeTime at={user.createdAt} />
      </Cell>
      <Cell className="w-px text-right whitespace-nowrap">
        <Button
          size="icon"
          variant="quiet"
          aria-label={`${user.isAdministrator ? 'Remove administrator' : 'Make administrator'} ${user.email}`}
          onClick={() => ask({ kind: 'administrator', user })}
        >
          <Shield aria-hidden="true" />
        </Button>
        <Button
          size="icon"
          variant="quiet"
          aria-label={`Delete ${user.email}`}
          onClick={() => ask({ kind: 'delete', user })}
        >
          <Trash2 aria-hidden="true" />
        </Button>
      </Cell>
    </Row>
  );
}

interface QuestionProps {
  user: UserTableRow | undefined;
  onClose: () => void;
}

function AdministratorQuestion({ user, onClose }: QuestionProps) {
  const toast = useToast();
  const takes = user?.isAdministrator === true;
  const label = takes ? 'Remove administrator' : 'Make administrator';
  return (
    <AlertDialog
      open={user !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title={takes ? 'Remove this administrator?' : 'Make this user an administrator?'}
      description={
        <>
          <p className="font-medium break-all text-ink">{user?.email}</p>
          <p className="mt-2">
            {takes
              ? 'From the next request on they cannot change plans, accounts or retention. Their own projects stay.'
              : 'From the next request on they can change plans, accounts and retention for everybody. The projects of others stay out of their reach.'}
          </p>
        </>
      }
    >
      {user && (
        <ActionForm
          action={changeAdministrator}
          hidden={{ userId: user.userId, isAdministrator: takes ? 'no' : 'yes' }}
          onDone={() => {
            toast({ title: takes ? 'No longer an administrator' : 'Now an administrator' });
            onClose();
          }}
        >
          {({ pending }) => (
            <DialogFooter>
              <AlertDialogCancel asChild>
                <Button>Keep as it is</Button>
              </AlertDialogCancel>
              <Button type="submit" variant={takes ? 'danger' : 'primary'} pending={pending}>
                {label}
              </Button>
            </DialogFooter>
          )}
        </ActionForm>
      )}
    </AlertDialog>
  );
}

function DeleteQuestion({ user, onClose }: QuestionProps) {
  const toast = useToast();
  return (
    <Dialog
      open={user !== undefined}
      onOpenChange={(open) => !open && onClose()}
      title="Delete this account?"
      description="This cannot be undone. Every session of theirs ends; what they did stays in the audit log."
    >
      {user && (
        <ActionForm
          action={removeUser}
          hidden={{ userId: user.userId }}
          onDone={() => {
            toast({ title: 'The account is deleted', description: user.email });
            onClose();
          }}
        >
          {({ pending, errorOf }) => (
            <ConfirmName
              expected={user.email}
              name="confirmation"
              actionLabel="Delete account"
              pending={pending}
              error={errorOf('confirmation')}
            />
          )}
        </ActionForm>
      )}
    </Dialog>
  );
}
