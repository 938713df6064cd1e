'use client';

import { ActionButton } from '#components/submit-form.tsx';
import {
  askForConfirmation,
  disableDestination,
  enableDestination,
  sendAgain,
  sendTest,
} from '../actions.ts';

const CHANGES = {
  test: { action: sendTest, label: 'Send a test', done: 'Test queued' },
  ask: { action: askForConfirmation, label: 'Ask for confirmation', done: 'Mail queued' },
  enable: { action: enableDestination, label: 'Enable', done: 'Enabled' },
  disable: { action: disableDestination, label: 'Disable', done: 'Disabled' },
} as const;

/** Which destination a form is about; all of it is sent as hidden fields. */
export interface DestinationRef {
  destinationId: string;
}

export interface DestinationButtonProps extends DestinationRef {
  change: keyof typeof CHANGES;
}

/** Changes a destination at once, because it can be undone. */
export function DestinationButton({ change, ...ref }: DestinationButtonProps) {
  const { action, label, done } = CHANGES[change];
  return (
    <ActionButton action={action} hidden={{ ...ref }} done={{ title: done }}>
      {label}
    </ActionButton>
  );
}

export interface SendAgainProps extends DestinationRef {
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
