'use client';

import { FormDialog } from '#components/action-dialog.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { deleteAccount } from '../actions.ts';
import { SignInAgain } from './sign-in-again.tsx';

export interface DeleteAccountProps {
  email: string;
  hasPassword: boolean;
  mustSignInAgain: boolean;
}

/** Asks for the address and the password or a fresh sign-in, because deleting cannot be undone. */
export const DeleteAccount = ({ email, hasPassword, mustSignInAgain }: DeleteAccountProps) => (
  <FormDialog
    trigger={<Button variant="danger">Delete account…</Button>}
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
