'use client';

import { SubmitForm } from '#components/submit-form.tsx';
import { addMailAddress, addWebhook } from '../actions.ts';
import { type AlertChoice, DestinationFields } from './destination-fields.tsx';
import { signingSecret } from './signing-secret-step.ts';

const addShownWebhook = signingSecret.before(addWebhook, 'nothing was changed');

export interface NewDestinationProps {
  projectId: string;
  choices: readonly AlertChoice[];
}

export function AddWebhook({ projectId, choices }: NewDestinationProps) {
  const show = signingSecret.useShow();
  return (
    <SubmitForm
      action={addShownWebhook}
      hidden={{ projectId }}
      onDone={show}
      onInput={signingSecret.prepare}
      submit="Add webhook"
    >
      {(parts) => <DestinationFields parts={parts} kind="webhook" choices={choices} />}
    </SubmitForm>
  );
}

export const AddMailAddress = ({ projectId, choices }: NewDestinationProps) => (
  <SubmitForm
    action={addMailAddress}
    hidden={{ projectId }}
    done={{ title: 'Address added' }}
    onDone={(_, form) => form.reset()}
    submit="Add address"
  >
    {(parts) => <DestinationFields parts={parts} kind="mail" choices={choices} />}
  </SubmitForm>
);
