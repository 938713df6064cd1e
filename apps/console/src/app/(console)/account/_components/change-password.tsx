'use client';

import { FormDialog } from '#components/action-dialog.tsx';
import { NewPassword, PasswordField } from '#components/password-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { changePassword } from '../actions.ts';

export const ChangePassword = ({ email }: { email: string }) => (
  <FormDialog
    trigger={<Button>Change password…</Button>}
    title="Change your password"
    description="You are then signed out in every browser, including this one."
    action={changePassword}
    submit="Change password"
  >
    <PasswordField
      name="currentPassword"
      label="Current password"
      autoComplete="current-password"
    />
    <NewPassword email={email} />
  </FormDialog>
);
