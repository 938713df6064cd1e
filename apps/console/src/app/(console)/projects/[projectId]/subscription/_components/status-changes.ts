import type { SubscriptionStatus } from '@ceiba/contract/sets';

const ALLOWED = 'Calls are allowed from the next decision on, until the period ends.';
const DENIED = 'From the next decision on, all calls are denied as inactive_subscription.';
const STAY_DENIED =
  'The period has ended, so all calls stay denied until you also set a later end, or none.';

/** The label and the effect of the change to each status. */
export const STATUS_CHANGES = {
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

/**
 * What the change to a status does to the calls.
 *
 * @param hasEnded whether the period of the subscription is over
 */
export function effectOf(status: SubscriptionStatus, hasEnded: boolean): string {
  const { denies, effect } = STATUS_CHANGES[status];
  return hasEnded && !denies ? STAY_DENIED : effect;
}
