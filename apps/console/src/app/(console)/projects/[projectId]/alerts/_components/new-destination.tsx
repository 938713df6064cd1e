'use client';

import { SubmitForm } from '#components/submit-form.tsx';
import { addMailAddress, addWebhook } from '../actions.ts';
import { type AlertChoice, DestinationFields } from './destination-fields.tsx';
import { signingSecret } from './signing-secret-step.ts';

const addShownWebhook = signingSecret.before(addWebhook, 'nothing was changed');

export interface NewDestinationProps {
  choices: readonly AlertChoice[];
}

export function AddWebhook({ choices }: NewDestinationProps) {
  const show = signingSecret.useShow();
  return (
    <SubmitForm
      action={addShownWebhook}
      onDone={show}
      onInput={signingSecret.prepare}
      submit="Add webhook"
    >
      <DestinationFields kind="webhook" choices={choices} />
    </SubmitForm>
  );
}

export const AddMailAddress = ({ choices }: NewDestinationProps) => (
  <SubmitForm
    action={addMailAddress}
    done={{ title: 'Address added' }}
    onDone={(_, form) => form.reset()}
    submit="Add address"
  >
    <DestinationFields kind="mail" choices={choices} />
  </SubmitForm>
);
