'use client';

import { changePassword } from '../../app/(console)/account/actions.ts';
import { ActionForm } from '../action-form.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { PasswordInput } from './password-input.tsx';

export function ChangePassword({ email }: { email: string }) {
  return (
    <ActionForm action={changePassword} className="grid max-w-96 gap-6">
      {({ pending, errorOf }) => (
        <>
          {/* Tells a password manager whose password this is. */}
          <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
          <Field name="currentPassword" label="Present password" error={errorOf('currentPassword')}>
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
