'use client';

import type { ActionFormParts } from '#components/action-form.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';

/** The address of an account, as browsers and their password managers know it. */
export function EmailField({
  errorOf,
  typed,
}: Pick<ActionFormParts<unknown>, 'errorOf' | 'typed'>) {
  return (
    <Field name="email" label="E-mail" error={errorOf('email')}>
      {(control) => (
        <Input {...control} type="email" autoComplete="username" defaultValue={typed('email')} />
      )}
    </Field>
  );
}
