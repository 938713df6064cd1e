'use client';

import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { requestReset } from '../actions.ts';

export function RequestReset({ minutes }: { minutes: number }) {
  return (
    <ActionForm action={requestReset} className="grid gap-6">
      {(parts) =>
        parts.state.kind === 'done' ? (
          <output>
            <Notice tone="done" title="Look at your mail">
              If this address has an account with a password, a link to set a new one is on its way.
              It works for {minutes} minutes.
            </Notice>
          </output>
        ) : (
          <>
            <TextField
              parts={parts}
              name="email"
              label="E-mail"
              type="email"
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
