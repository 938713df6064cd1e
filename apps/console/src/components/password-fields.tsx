'use client';

// Apart from the other fields, so that pages without a password do not load them.
import { PASSWORD_LENGTH_MIN } from '@ceiba/domain/constants';
import { useActionForm } from './action-form.tsx';
import type { TextFieldProps } from './form-fields.tsx';
import { Field } from './ui/field.tsx';
import { PasswordInput } from './ui/password-input.tsx';

export type PasswordFieldProps = Pick<TextFieldProps, 'name' | 'label' | 'hint'> & {
  autoComplete: 'current-password' | 'new-password';
};

export const NEW_PASSWORD_HINT = `At least ${PASSWORD_LENGTH_MIN} characters. Try a phrase only you would think of.`;

/** A password; a refused form does not send it back, the browser keeps it. */
export function PasswordField({ autoComplete, ...field }: PasswordFieldProps) {
  const { errorOf } = useActionForm();
  return (
    <Field {...field} error={errorOf(field.name)}>
      {(control) => <PasswordInput {...control} autoComplete={autoComplete} />}
    </Field>
  );
}

/** Where a page has the account already. */
const CHANGED = { email: 'username', password: 'newPassword', label: 'New password' };

/** A new password, which password managers save for the account of `email`. */
export const NewPassword = ({
  email,
  names = CHANGED,
}: {
  email: string;
  names?: typeof CHANGED;
}) => (
  <>
    <input type="text" name={names.email} autoComplete="username" value={email} readOnly hidden />
    <PasswordField
      name={names.password}
      label={names.label}
      hint={NEW_PASSWORD_HINT}
      autoComplete="new-password"
    />
  </>
);

/** Proves that the signed-in user is at the keyboard. */
export const CurrentPassword = () => (
  <PasswordField name="currentPassword" label="Your password" autoComplete="current-password" />
);
