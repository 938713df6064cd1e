'use client';

import type { SubscriptionStatus } from '@ceiba/contract/sets';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { Button } from '#components/ui/button.tsx';
import { StillUsed } from '../../_components/still-used-later.tsx';
import { changeStatus } from '../actions.ts';

const ALLOWED = 'Calls are allowed from the next decision on, until the period ends.';
const DENIED = 'From the next decision on, all calls are denied as inactive_subscription.';

/** The label and the effect of each change. */
const CHANGES = {
  active: {
    label: 'Reactivate',
    title: 'Reactivate the subscription?',
    effect: ALLOWED,
    done: 'Subscription active',
    denies: false,
  },
  trialing: {
    label: 'Set trial',
    title: 'Put the subscription in trial?',
    effect: `${ALLOWED} To end the trial automatically, set a period end.`,
    done: 'Subscription in trial',
    denies: false,
  },
  past_due: {
    label: 'Mark past due',
    title: 'Mark the subscription past due?',
    effect: `${DENIED} You can reactivate it at any time.`,
    done: 'Subscription past due',
    denies: true,
  },
  canceled: {
    label: 'Cancel subscription',
    title: 'Cancel the subscription?',
    effect: `${DENIED} Keys and policies stay, and you can reactivate it at any time.`,
    done: 'Subscription canceled',
    denies: true,
  },
} as const satisfies Record<SubscriptionStatus, object>;

/** The changes of each state, the likeliest first. */
const NEXT = {
  active: ['trialing', 'past_due', 'canceled'],
  trialing: ['active', 'past_due', 'canceled'],
  past_due: ['active', 'trialing', 'canceled'],
  canceled: ['active', 'trialing', 'past_due'],
} as const satisfies Record<SubscriptionStatus, readonly SubscriptionStatus[]>;

/** One dialog for all buttons, because the button that opened it may disappear. */
export function StatusChoice({ status }: { status: SubscriptionStatus }) {
  const [chosen, setChosen] = useState<SubscriptionStatus>();
  return (
    <div className="flex flex-wrap gap-2">
      {NEXT[status].map((next) => (
        <Button key={next} onClick={() => setChosen(next)}>
          {CHANGES[next].label}…
        </Button>
      ))}
      {chosen && (
        <ConfirmAction
          onClose={() => setChosen(undefined)}
          title={CHANGES[chosen].title}
          description={<p>{CHANGES[chosen].effect}</p>}
          action={changeStatus}
          hidden={{ status: chosen }}
          done={{ title: CHANGES[chosen].done, description: 'From the next decision on.' }}
          cancel="Keep as it is"
          confirm={CHANGES[chosen].label}
          isDangerous={CHANGES[chosen].denies}
        >
          {CHANGES[chosen].denies && <StillUsed of={{}} as="project" />}
        </ConfirmAction>
      )}
    </div>
  );
}
