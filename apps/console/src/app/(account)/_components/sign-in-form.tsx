'use client';

import { ActionForm } from '#components/action-form.tsx';
import { PasswordField, TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { signInWithPassword } from './sign-in.ts';

export function SignInForm({ next }: { next: string }) {
  return (
    <ActionForm
      action={signInWithPassword}
      // A full load, so that no page of another user stays in the browser's memory.
      onDone={() => window.location.assign(next)}
      className="grid gap-6"
    >
      {(parts) => (
        <>
          <TextField
            parts={parts}
            name="email"
            label="E-mail"
            type="email"
            autoComplete="username"
          />
          <PasswordField
            errorOf={parts.errorOf}
            name="password"
            label="Password"
            autoComplete="current-password"
          />
          <Button type="submit" variant="primary" pending={parts.pending}>
            Sign in
          </Button>
        </>
      )}
    </ActionForm>
  );
}
