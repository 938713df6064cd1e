'use client';

import { ActionForm } from '#components/action-form.tsx';
import { NewPassword, PasswordField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Dialog, DialogButtons } from '#components/ui/dialog.tsx';
import { changePassword } from '../actions.ts';

export function ChangePassword({ email }: { email: string }) {
  return (
    <Dialog
      trigger={<Button>Change password…</Button>}
      title="Change your password"
      description="You are then signed out in every browser, including this one."
    >
      <ActionForm action={changePassword} className="grid gap-4">
        {({ pending, errorOf }) => (
          <>
            <PasswordField
              errorOf={errorOf}
              name="currentPassword"
              label="Current password"
              autoComplete="current-password"
            />
            <NewPassword errorOf={errorOf} email={email} />
            <DialogButtons label="Change password" pending={pending} />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}
