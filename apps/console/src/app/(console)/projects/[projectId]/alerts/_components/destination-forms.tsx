'use client';

import { SECRET_OVERLAP_HOURS } from '@ceiba/domain/constants';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { shownOnce } from '#components/shown-once.tsx';
import { ActionButton, SubmitForm } from '#components/submit-form.tsx';
import { Button } from '#components/ui/button.tsx';
import {
  addMailAddress,
  addWebhook,
  askForConfirmation,
  changeDestination,
  disableDestination,
  enableDestination,
  type NewSigningSecret,
  removeDestination,
  rotateSigning,
  sendAgain,
  sendTest,
} from '../actions.ts';
import { type AlertChoice, DestinationFields } from './destination-fields.tsx';

const shown = shownOnce<NewSigningSecret>(() => import('./signing-secret.tsx'));
const addShownWebhook = shown.before(addWebhook, 'nothing was changed');
const rotateShown = shown.before(rotateSigning, 'nothing was changed');

/** The page, or instead of it a new signing secret. */
export const SigningSecretStep = shown.Step;

interface NewDestinationProps {
  projectId: string;
  choices: readonly AlertChoice[];
}

export function AddWebhook({ projectId, choices }: NewDestinationProps) {
  const show = shown.useShow();
  return (
    <SubmitForm
      action={addShownWebhook}
      hidden={{ projectId }}
      onDone={show}
      onInput={shown.prepare}
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

/** Which destination a form is about; all of it is sent as hidden fields. */
interface Ref {
  projectId: string;
  destinationId: string;
}

export interface ChangeDestinationProps extends NewDestinationProps, Ref {
  kind: 'webhook' | 'mail';
  address: string;
  description: string;
}

export const ChangeDestination = ({
  projectId,
  destinationId,
  ...saved
}: ChangeDestinationProps) => (
  <SubmitForm
    action={changeDestination}
    hidden={{ projectId, destinationId }}
    done={{ title: 'Saved' }}
    submit="Save destination"
  >
    {(parts) => <DestinationFields parts={parts} {...saved} />}
  </SubmitForm>
);

export const SendTest = (ref: Ref) => (
  <ActionButton action={sendTest} hidden={{ ...ref }} done={{ title: 'Test queued' }}>
    Send a test
  </ActionButton>
);

export const AskForConfirmation = (ref: Ref) => (
  <ActionButton action={askForConfirmation} hidden={{ ...ref }} done={{ title: 'Mail queued' }}>
    Ask for confirmation
  </ActionButton>
);

export const EnableDestination = (ref: Ref) => (
  <ActionButton action={enableDestination} hidden={{ ...ref }} done={{ title: 'Enabled' }}>
    Enable
  </ActionButton>
);

export const DisableDestination = (ref: Ref) => (
  <ActionButton action={disableDestination} hidden={{ ...ref }} done={{ title: 'Disabled' }}>
    Disable
  </ActionButton>
);

export interface SendAgainProps extends Ref {
  deliveryId: number;
  type: string;
}

export const SendAgain = ({ deliveryId, type, ...ref }: SendAgainProps) => (
  <ActionButton
    action={sendAgain}
    hidden={{ ...ref, deliveryId: String(deliveryId) }}
    done={{ title: 'Alert queued again' }}
    size="sm"
  >
    Send again<span className="sr-only"> {type}</span>
  </ActionButton>
);

export function RotateSigningSecret(ref: Ref) {
  const show = shown.useShow();
  return (
    <ConfirmAction
      onOpen={shown.prepare}
      trigger={<Button>Rotate signing secret…</Button>}
      title="Rotate the signing secret?"
      description={
        <p>
          The new secret is shown once. For {SECRET_OVERLAP_HOURS} hours each request has a
          signature by both, so you can update your server without losing any. A secret before the
          current one stops signing at once.
        </p>
      }
      action={rotateShown}
      hidden={{ ...ref }}
      onDone={show}
      cancel="Keep secret"
      confirm="Rotate secret"
      isDangerous={false}
    />
  );
}

export const DeleteDestination = (ref: Ref) => (
  <ConfirmAction
    trigger={<Button>Delete…</Button>}
    title="Delete this destination?"
    description={<p>It gets no further alerts, and the history of its deliveries is deleted.</p>}
    action={removeDestination}
    hidden={{ ...ref }}
    cancel="Keep it"
    confirm="Delete destination"
  />
);
