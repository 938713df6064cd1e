'use client';

import { ActionForm } from '#components/action-form.tsx';
import { CurrentPassword } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { ConfirmName } from '#components/ui/confirm-name.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { deleteAccount } from '../actions.ts';
import { SignInAgain } from './sign-in-again.tsx';

export interface DeleteAccountProps {
  email: string;
  hasPassword: boolean;
  mustSignInAgain: boolean;
}

/** Asks for the address and the password or a fresh sign-in, because deleting cannot be undone. */
export function DeleteAccount({ email, hasPassword, mustSignInAgain }: DeleteAccountProps) {
  return (
    <Dialog
      trigger={<Button variant="danger">Delete account…</Button>}
      title="Delete your account?"
      description="This cannot be undone. You are signed out everywhere and leave every project."
    >
      {mustSignInAgain ? (
        <SignInAgain />
      ) : (
        <ActionForm action={deleteAccount}>
          {({ pending, errorOf }) => (
            <div className="grid gap-4">
              {hasPassword && <CurrentPassword errorOf={errorOf} />}
              <ConfirmName
                expected={email}
                name="confirmation"
                actionLabel="Delete account"
                pending={pending}
                error={errorOf('confirmation')}
              />
            </div>
          )}
        </ActionForm>
      )}
    </Dialog>
  );
}
