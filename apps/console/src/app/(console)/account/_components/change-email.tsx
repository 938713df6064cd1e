'use client';

import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { CurrentPassword, TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Dialog, DialogButtons } from '#components/ui/dialog.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { changeEmail } from '../actions.ts';

export interface ChangeEmailProps {
  email: string;
  /** Whether a link is mailed to the new address, with which it counts. */
  byMail: boolean;
}

export function ChangeEmail({ email, byMail }: ChangeEmailProps) {
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
          toast({
            title: byMail
              ? 'Open the link in the mail to the new address'
              : 'E-mail address changed',
          });
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
              {...(byMail
                ? { hint: 'We mail a link there. Until you use it, nothing changes.' }
                : {})}
              type="email"
              autoComplete="username"
              initial={email}
            />
            <CurrentPassword {...parts} />
            <DialogButtons
              label={byMail ? 'Send link' : 'Change address'}
              pending={parts.pending}
            />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}
