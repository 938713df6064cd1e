'use client';

import { TextField } from '#components/form-fields.tsx';
import {
  NEW_PASSWORD_HINT,
  PasswordField,
  type PasswordFieldProps,
} from '#components/password-fields.tsx';

/** E-mail and password, named so that browsers and password managers recognise them. */
export const CredentialFields = (password: Pick<PasswordFieldProps, 'hint' | 'autoComplete'>) => (
  <>
    <TextField name="email" label="E-mail" type="email" autoComplete="username" />
    <PasswordField name="password" label="Password" {...password} />
  </>
);

/** As {@link CredentialFields}, for a new account. */
export const NewCredentialFields = () => (
  <CredentialFields hint={NEW_PASSWORD_HINT} autoComplete="new-password" />
);
