'use client';

import { PASSWORD_LENGTH_MIN } from '@ceiba/domain/facts';
import { ActionForm } from '#components/action-form.tsx';
import { PasswordField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { changePassword } from '../actions.ts';

export function ChangePassword({ email }: { email: string }) {
  return (
    <ActionForm action={changePassword} className="grid max-w-96 gap-6">
      {({ pending, errorOf }) => (
        <>
          {/* So that password managers update the password of this account. */}
          <input
            type="text"
            name="username"
            autoComplete="username"
            value={email}
            readOnly
            hidden
          />
          <PasswordField
            errorOf={errorOf}
            name="currentPassword"
            label="Current password"
            autoComplete="current-password"
          />
          <PasswordField
            errorOf={errorOf}
            name="newPassword"
            label="New password"
            hint={`At least ${PASSWORD_LENGTH_MIN} characters.`}
            autoComplete="new-password"
          />
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
