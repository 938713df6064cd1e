'use client';

import { CONFIRMATION_MINUTES } from '@ceiba/domain/constants';
import { createAccount } from '#app/(account)/sign-up/actions.ts';
import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Notice } from '#components/ui/notice.tsx';

/** Asks for the address alone; the page of the mailed link asks for the password. */
export function SignUpByMail() {
  return (
    <ActionForm action={createAccount} className="grid gap-6">
      {(parts) =>
        parts.state.kind === 'done' ? (
          <output>
            <Notice tone="done" title="Look at your mail">
              A link to finish creating your account is on its way. It works for{' '}
              {CONFIRMATION_MINUTES} minutes.
            </Notice>
          </output>
        ) : (
          <>
            <TextField
              parts={parts}
              name="email"
              label="E-mail"
              type="email"
              hint="We mail you a link with which you choose a password."
              autoComplete="username"
            />
            <Button type="submit" variant="primary" pending={parts.pending}>
              Send link
            </Button>
          </>
        )
      }
    </ActionForm>
  );
}
