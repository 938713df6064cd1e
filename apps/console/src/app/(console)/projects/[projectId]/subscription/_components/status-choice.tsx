'use client';

import type { SubscriptionStatus } from '@ceiba/contract/sets';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { AlertDialog, AlertDialogCancel, DialogFooter } from '#components/ui/dialog.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { changeStatus } from '../actions.ts';

const ADMITTED = 'Calls are allowed from the next decision on, while the period lasts.';
const DENIED = 'Every call is denied as inactive_subscription from the next decision on.';

/** What each change is called, and what it does. */
const CHANGES = {
  active: {
    label: 'Reactivate',
    title: 'Reactivate the subscription?',
    effect: ADMITTED,
    done: 'The subscription is active',
    denies: false,
  },
  trialing: {
    label: 'Set trial',
    title: 'Put the subscription in trial?',
    effect: `A trial allows calls as an active subscription does. ${ADMITTED} Set a period end below to end it automatically.`,
    done: 'The subscription is in trial',
    denies: false,
  },
  past_due: {
    label: 'Mark past due',
    title: 'Mark the subscription past due?',
    effect: `It becomes past due. ${DENIED} You can reactivate it at any time.`,
    done: 'The subscription is past due',
    denies: true,
  },
  canceled: {
    label: 'Cancel subscription',
    title: 'Cancel the subscription?',
    effect: `${DENIED} Keys and policies stay, and you can reactivate it at any time.`,
    done: 'The subscription is canceled',
    denies: true,
  },
} as const satisfies Record<SubscriptionStatus, object>;

/** What may be done from each state, the likeliest first. */
const NEXT = {
  active: ['trialing', 'past_due', 'canceled'],
  trialing: ['active', 'past_due', 'canceled'],
  past_due: ['active', 'trialing', 'canceled'],
  canceled: ['active', 'trialing', 'past_due'],
} as const satisfies Record<SubscriptionStatus, readonly SubscriptionStatus[]>;

export interface StatusChoiceProps {
  projectId: string;
  status: SubscriptionStatus;
}

/** One question for all of them: it has to outlive the button that it was asked by. */
export function StatusChoice({ projectId, status }: StatusChoiceProps) {
  const [asked, setAsked] = useState<SubscriptionStatus>();
  const toast = useToast();
  const change = asked && CHANGES[asked];
  return (
    <div className="flex flex-wrap gap-2">
      {NEXT[status].map((next) => (
        <Button key={next} onClick={() => setAsked(next)}>
          {CHANGES[next].label}…
        </Button>
      ))}
      <AlertDialog
        open={change !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title={change?.title}
        description={<p>{change?.effect}</p>}
      >
        {change && (
          <ActionForm
            action={changeStatus}
            hidden={{ projectId, status: asked }}
            onDone={() => {
              toast({ title: change.done, description: 'From the next decision on.' });
              setAsked(undefined);
            }}
          >
            {({ pending }) => (
              <DialogFooter>
                <AlertDialogCancel asChild>
                  <Button>Keep as it is</Button>
                </AlertDialogCancel>
                <Button
                  type="submit"
                  variant={change.denies ? 'danger' : 'primary'}
                  pending={pending}
                >
                  {change.label}
                </Button>
              </DialogFooter>
            )}
          </ActionForm>
        )}
      </AlertDialog>
    </div>
  );
}
