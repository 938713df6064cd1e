'use client';

import { ActionForm } from '#components/action-form.tsx';
import { NewPassword, PasswordField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { changePassword } from '../actions.ts';

export function ChangePassword({ email }: { email: string }) {
  return (
    <ActionForm action={changePassword} className="grid max-w-96 gap-6">
      {({ pending, errorOf }) => (
        <>
          <PasswordField
            errorOf={errorOf}
            name="currentPassword"
            label="Current password"
            autoComplete="current-password"
          />
          <NewPassword errorOf={errorOf} email={email} />
          <div>
            <Button type="submit" pending={pending}>
              Change password
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
