'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { PasswordInput } from '#components/ui/password-input.tsx';
import { changePassword } from '../actions.ts';

export function ChangePassword({ email }: { email: string }) {
  return (
    <ActionForm action={changePassword} className="grid max-w-96 gap-6">
      {({ pending, errorOf }) => (
        <>
          {/* Tells a password manager whose password this is. */}
          <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
          <Field name="currentPassword" label="Current password" error={errorOf('currentPassword')}>
            {(control) => <PasswordInput {...control} autoComplete="current-password" />}
          </Field>
          <Field
            name="newPassword"
            label="New password"
            hint="At least 12 characters."
            error={errorOf('newPassword')}
          >
            {(control) => <PasswordInput {...control} autoComplete="new-password" />}
          </Field>
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
