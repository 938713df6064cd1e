'use client';

import type { ActionFormParts } from '#components/action-form.tsx';
import {
  NEW_PASSWORD_HINT,
  PasswordField,
  type PasswordFieldProps,
  TextField,
} from '#components/form-fields.tsx';

export type CredentialFieldsProps = Pick<PasswordFieldProps, 'hint' | 'autoComplete'> & {
  parts: ActionFormParts<unknown>;
};

/** E-mail and password, named so that browsers and password managers recognise them. */
export function CredentialFields({ parts, ...password }: CredentialFieldsProps) {
  return (
    <>
      <TextField parts={parts} name="email" label="E-mail" type="email" autoComplete="username" />
      <PasswordField errorOf={parts.errorOf} name="password" label="Password" {...password} />
    </>
  );
}

/** As {@link CredentialFields}, for a new account. */
export function NewCredentialFields({ parts }: Pick<CredentialFieldsProps, 'parts'>) {
  return <CredentialFields parts={parts} hint={NEW_PASSWORD_HINT} autoComplete="new-password" />;
}
