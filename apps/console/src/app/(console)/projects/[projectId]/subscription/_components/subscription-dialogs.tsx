'use client';

import type { SubscriptionStatus } from '@ceiba/contract/sets';
import { Ban, CircleAlert, CirclePlay, Hourglass } from 'lucide-react';
import { rowDialogs } from '#components/row-dialogs.tsx';
import { buttonLooks } from '#components/ui/button.tsx';
import { ChangeLabel } from '#components/ui/facts.tsx';
import { Popover } from '#components/ui/popover.tsx';
import { RowMenuButton } from '#components/ui/row-menu.tsx';
import { STATUS_CHANGES } from './status-changes.ts';
import type { SubscriptionDialogFacts, SubscriptionStep } from './subscription-dialog.tsx';

const { Dialogs, OpenButton, useOpening } = rowDialogs<SubscriptionStep, SubscriptionDialogFacts>(
  () => import('./subscription-dialog.tsx'),
);

/** Shows the dialogs of the subscription. */
export const SubscriptionDialogs = Dialogs;

/** A button that opens one of them. */
export const SubscriptionButton = OpenButton;

/** The changes of each state, the likeliest first. */
const NEXT = {
  active: ['trialing', 'past_due', 'canceled'],
  trialing: ['active', 'past_due', 'canceled'],
  past_due: ['active', 'trialing', 'canceled'],
  canceled: ['active', 'trialing', 'past_due'],
} as const satisfies Record<SubscriptionStatus, readonly SubscriptionStatus[]>;

const ICONS = { active: CirclePlay, trialing: Hourglass, past_due: CircleAlert, canceled: Ban };

/** The changes of the status, each with a question. */
export function ChangeStatus({ status }: { status: SubscriptionStatus }) {
  return (
    <Popover
      label="Change status"
      placement={{ side: 'below', align: 'end' }}
      triggerClassName={buttonLooks({ size: 'sm', variant: 'quiet' })}
      trigger={<ChangeLabel>Change status</ChangeLabel>}
    >
      {NEXT[status].map((next) => (
        <StatusItem key={next} status={next} />
      ))}
    </Popover>
  );
}

function StatusItem({ status }: { status: SubscriptionStatus }) {
  const open = useOpening({ opens: { step: 'status', status }, address: status });
  return (
    <RowMenuButton icon={ICONS[status]} isDangerous={status === 'canceled'} onChoose={open}>
      {STATUS_CHANGES[status].label}…
    </RowMenuButton>
  );
}
