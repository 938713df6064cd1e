'use client';

import { ActionForm } from '#components/action-form.tsx';
import { PasswordField, TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { changeEmail } from '../actions.ts';

export function ChangeEmail({ email }: { email: string }) {
  const toast = useToast();
  return (
    <ActionForm
      action={changeEmail}
      onDone={() => toast({ title: 'E-mail address changed' })}
      className="grid max-w-96 gap-6"
    >
      {(parts) => (
        <>
          <TextField
            parts={parts}
            name="email"
            label="E-mail"
            type="email"
            autoComplete="username"
            initial={email}
          />
          <PasswordField
            errorOf={parts.errorOf}
            name="currentPassword"
            label="Your password"
            autoComplete="current-password"
          />
          <div>
            <Button type="submit" pending={parts.pending}>
              Change address
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
