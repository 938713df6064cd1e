'use client';

import type { UserRow } from '@ceiba/schema';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { changeAdministrator, createPasswordLink, removeFactors, removeUser } from '../actions.ts';
import { shownLink } from './shown-link.ts';

const createShownLink = shownLink.before(createPasswordLink, 'no link was created');

export interface UserStep {
  kind: 'promote' | 'demote' | 'reset' | 'factors' | 'delete';
  user: UserRow;
}

export interface UserDialogProps extends UserStep {
  /** Whether the administrator has a password, which the changes ask for; else a fresh sign-in counts. */
  needsPassword: boolean;
  onClose: () => void;
}

/** One change of one account, which the administrator's own password proves. */
export function UserDialog({ kind, user, needsPassword, onClose }: UserDialogProps) {
  const showLink = shownLink.useShow();
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
