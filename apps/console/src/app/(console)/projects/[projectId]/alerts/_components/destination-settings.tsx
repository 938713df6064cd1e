'use client';

import { SECRET_OVERLAP_HOURS } from '@ceiba/domain/constants';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { changeDestination, removeDestination, rotateSigning } from '../actions.ts';
import type { DestinationRef } from './destination-button.tsx';
import { type AlertGroup, DestinationFields } from './destination-fields.tsx';
import { signingSecret } from './signing-secret-step.ts';

const rotateShown = signingSecret.before(rotateSigning, 'nothing was changed');

export interface ChangeDestinationProps extends DestinationRef {
  groups: readonly AlertGroup[];
  kind: 'webhook' | 'mail';
  address: string;
  description: string;
  eventTypes: readonly string[];
}

export const ChangeDestination = ({
  destinationId,
  eventTypes,
  ...saved
}: ChangeDestinationProps) => (
  <SubmitForm
    action={changeDestination}
    hidden={{ destinationId, seen: JSON.stringify({ ...saved, eventTypes }) }}
    done={{ title: 'Saved' }}
    submit="Save destination"
  >
    <DestinationFields {...saved} />
  </SubmitForm>
);

export function RotateSigningSecret(ref: DestinationRef) {
  const show = signingSecret.useShow();
  return (
    <ConfirmAction
      onOpen={signingSecret.prepare}
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

export const DeleteDestination = (ref: DestinationRef) => (
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
