'use client';

import type { ReactNode } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { ConfirmAction } from '#components/confirm-action.tsx';
import { Button } from '#components/ui/button.tsx';
import { useToast } from '#components/ui/toast.tsx';
import type { FormAction } from '#lib/action-state.ts';
import {
  addMailAddress,
  askForConfirmation,
  changeDestination,
  disableDestination,
  enableDestination,
  removeDestination,
  sendTest,
} from '../actions.ts';
import { type AlertChoice, DestinationFields } from './destination-fields.tsx';

export function AddMailAddress({
  projectId,
  choices,
}: {
  projectId: string;
  choices: readonly AlertChoice[];
}) {
  const toast = useToast();
  return (
    <ActionForm
      action={addMailAddress}
      hidden={{ projectId }}
      onDone={(_, form) => {
        toast({ title: 'Address added' });
        form.reset();
      }}
      className="grid max-w-md gap-4"
    >
      {(parts) => (
        <>
          <DestinationFields parts={parts} kind="mail" choices={choices} />
          <div>
            <Button type="submit" pending={parts.pending}>
              Add address
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}

interface DestinationProps {
  projectId: string;
  destinationId: string;
}

export function ChangeDestination({
  projectId,
  destinationId,
  ...saved
}: DestinationProps & {
  kind: 'webhook' | 'mail';
  choices: readonly AlertChoice[];
  address: string;
  description: string;
}) {
  const toast = useToast();
  return (
    <ActionForm
      action={changeDestination}
      hidden={{ projectId, destinationId }}
      onDone={() => toast({ title: 'Saved' })}
      className="grid max-w-md gap-4"
    >
      {(parts) => (
        <>
          <DestinationFields parts={parts} {...saved} />
          <div>
            <Button type="submit" pending={parts.pending}>
              Save destination
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}

/** A button that acts without a question, because what it does can be undone. */
function ActionButton({
  action,
  hidden,
  done,
  children,
}: {
  action: FormAction;
  hidden: DestinationProps;
  /** The message of a success. */
  done: string;
  children: ReactNode;
}) {
  const toast = useToast();
  return (
    <ActionForm action={action} hidden={{ ...hidden }} onDone={() => toast({ title: done })}>
      {({ pending }) => (
        <Button type="submit" pending={pending}>
          {children}
        </Button>
      )}
    </ActionForm>
  );
}

export const SendTest = (hidden: DestinationProps) => (
  <ActionButton action={sendTest} hidden={hidden} done="Test queued">
    Send a test
  </ActionButton>
);

export const AskForConfirmation = (hidden: DestinationProps) => (
  <ActionButton action={askForConfirmation} hidden={hidden} done="Mail queued">
    Ask for confirmation
  </ActionButton>
);

export const EnableDestination = (hidden: DestinationProps) => (
  <ActionButton action={enableDestination} hidden={hidden} done="Enabled">
    Enable
  </ActionButton>
);

export const DisableDestination = (hidden: DestinationProps) => (
  <ActionButton action={disableDestination} hidden={hidden} done="Disabled">
    Disable
  </ActionButton>
);

export function DeleteDestination(hidden: DestinationProps) {
  return (
    <ConfirmAction
      trigger={<Button>Delete…</Button>}
      title="Delete this destination?"
      description={<p>It gets no further alerts, and the history of its deliveries is deleted.</p>}
      action={removeDestination}
      hidden={{ ...hidden }}
      cancel="Keep it"
      confirm="Delete destination"
    />
  );
}
