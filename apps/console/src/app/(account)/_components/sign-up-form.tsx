'use client';

import { useState } from 'react';
import { createAccount } from '#app/(account)/sign-up/actions.ts';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { PasswordInput } from '#components/ui/password-input.tsx';
import { EmailField } from './email-field.tsx';
import { signInWithPassword } from './sign-in.ts';

export function SignUpForm({ next }: { next: string }) {
  const [entering, setEntering] = useState(false);

  async function enter(form: HTMLFormElement) {
    setEntering(true);
    const result = await signInWithPassword(null, new FormData(form));
    const signIn = `/sign-in?next=${encodeURIComponent(next)}`;
    window.location.assign(result.kind === 'done' ? next : signIn);
  }

  return (
    <ActionForm
      action={createAccount}
      onDone={(_created, form) => enter(form)}
      className="grid gap-6"
    >
      {({ pending, errorOf, typed }) => (
        <>
          <EmailField errorOf={errorOf} typed={typed} />
          <Field
            name="password"
            label="Password"
            error={errorOf('password')}
            hint="At least 12 characters. Try a phrase only you would think of."
          >
            {(control) => <PasswordInput {...control} autoComplete="new-password" />}
          </Field>
          <Button type="submit" variant="primary" pending={pending || entering}>
            Create account
          </Button>
        </>
      )}
    </ActionForm>
  );
}
