'use client';

import { ActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { SubmitButton } from '#components/submit-form.tsx';
import { Notice } from '#components/ui/notice.tsx';
import type { FormAction } from '#lib/action-state.ts';

export interface MailLinkFormProps {
  action: FormAction;
  hint?: string;
  /** Says that a link is on its way. */
  sent: string;
}

/** Takes an address, to which the action mails a link. */
export function MailLinkForm({ action, hint, sent }: MailLinkFormProps) {
  return (
    <ActionForm action={action} className="grid gap-6">
      {({ state }) =>
        state.kind === 'done' ? (
          <output>
            <Notice tone="done" title="Look at your mail">
              {sent}
            </Notice>
          </output>
        ) : (
          <>
            <TextField
              name="email"
              label="E-mail"
              type="email"
              hint={hint}
              autoComplete="username"
            />
            <SubmitButton variant="primary">Send link</SubmitButton>
          </>
        )
      }
    </ActionForm>
  );
}
