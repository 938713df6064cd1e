'use client';

import type { ReactNode } from 'react';
import { ActionForm, useActionForm } from '#components/action-form.tsx';
import { SubmitButton } from '#components/submit-form.tsx';
import { buttonLooks } from '#components/ui/button.tsx';
import { addMailAddress, addWebhook } from '../actions.ts';
import { type AlertGroup, DestinationFields } from './destination-fields.tsx';
import { signingSecret } from './signing-secret-step.ts';

const addShownWebhook = signingSecret.before(addWebhook, 'nothing was changed');

export interface NewDestinationProps {
  groups: readonly AlertGroup[];
}

export interface AddWebhookProps extends NewDestinationProps {
  /** Whether the form is open before its button is pressed. */
  isOpen: boolean;
}

export function AddWebhook({ groups, isOpen }: AddWebhookProps) {
  const show = signingSecret.useShow();
  return (
    <ActionForm action={addShownWebhook} onDone={show} onInput={signingSecret.prepare}>
      <Unfolds
        label="Add a webhook"
        description="Ceiba posts each alert to this URL, signed as Standard Webhooks describes. The signing secret is shown next."
        isOpen={isOpen}
      >
        <DestinationFields kind="webhook" groups={groups} />
        <SubmitButton variant="primary">Add webhook</SubmitButton>
      </Unfolds>
    </ActionForm>
  );
}

export const AddMailAddress = ({ groups }: NewDestinationProps) => (
  <ActionForm
    action={addMailAddress}
    done={{ title: 'Address added' }}
    onDone={(_, form) => {
      form.reset();
      form.querySelector('details')?.removeAttribute('open');
    }}
  >
    <Unfolds
      label="Add a mail address"
      description="The address gets a mail first, and no alerts until it has confirmed that it wants them."
    >
      <DestinationFields kind="mail" groups={groups} />
      <SubmitButton variant="primary">Add address</SubmitButton>
    </Unfolds>
  </ActionForm>
);

interface UnfoldsProps {
  label: string;
  description: string;
  isOpen?: boolean;
  children: ReactNode;
}

/** A form behind its button. One that was refused is open, without scripts too. */
function Unfolds({ label, description, isOpen = false, children }: UnfoldsProps) {
  const { state } = useActionForm();
  return (
    <details open={isOpen || state.kind === 'refused'}>
      <summary className={buttonLooks({ className: 'cursor-pointer' })}>{label}</summary>
      <div className="mt-4 mb-6 grid max-w-md justify-items-start gap-4 *:w-full *:[button]:w-auto">
        <p className="text-muted">{description}</p>
        {children}
      </div>
    </details>
  );
}
