'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { PasswordInput } from '#components/ui/password-input.tsx';
import { EmailField } from './email-field.tsx';
import { signInWithPassword } from './sign-in.ts';

export function SignInForm({ next }: { next: string }) {
  return (
    <ActionForm
      action={signInWithPassword}
      // A full load, so that no page of another user stays in the browser's memory.
      onDone={() => window.location.assign(next)}
      className="grid gap-6"
    >
      {({ pending, errorOf, typed }) => (
        <>
          <EmailField errorOf={errorOf} typed={typed} />
          <Field name="password" label="Password" error={errorOf('password')}>
            {(control) => <PasswordInput {...control} autoComplete="current-password" />}
          </Field>
          <Button type="submit" variant="primary" pending={pending}>
            Sign in
          </Button>
        </>
      )}
    </ActionForm>
  );
}
