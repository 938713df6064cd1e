'use client';

import { FormDialog } from '#components/action-dialog.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { deleteAccount } from '../actions.ts';
import { SignInAgain } from './sign-in-again.tsx';

export interface DeleteAccountProps {
  email: string;
  hasPassword: boolean;
  mustSignInAgain: boolean;
}

/** Asks for the address and the password or a fresh sign-in, because deleting cannot be undone. */
const DeleteAccountDialog = ({
  email,
  hasPassword,
  mustSignInAgain,
  onClose,
}: DeleteAccountProps & { onClose: () => void }) => (
  <FormDialog
    onClose={onClose}
    title="Delete your account?"
    description="This cannot be undone. You are signed out everywhere and leave every project."
    instead={mustSignInAgain && <SignInAgain />}
    action={deleteAccount}
    submit="Delete account"
    expected={email}
  >
    {hasPassword && <CurrentPassword />}
  </FormDialog>
);
export default DeleteAccountDialog;
