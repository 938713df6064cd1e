'use client';

import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { CurrentPassword, TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Dialog, DialogButtons } from '#components/ui/dialog.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { changeEmail } from '../actions.ts';

export function ChangeEmail({ email }: { email: string }) {
  const [open, setOpen] = useState(false);
  const toast = useToast();
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      trigger={<Button>Change address…</Button>}
      title="Change your e-mail address"
    >
      <ActionForm
        action={changeEmail}
        onDone={() => {
          toast({ title: 'E-mail address changed' });
          setOpen(false);
        }}
        className="grid gap-4"
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
            <CurrentPassword {...parts} />
            <DialogButtons label="Change address" pending={parts.pending} />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}
