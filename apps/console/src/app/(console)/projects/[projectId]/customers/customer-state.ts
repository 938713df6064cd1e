import type { Customer, CustomerName } from '@ceiba/schema';
import type { Choice } from '#components/combobox.tsx';

/** What the calls of a customer meet: suspended, or the state of its subscription to its plan. */
export type CustomerState = 'active' | 'suspended' | 'trialing' | 'past_due' | 'canceled' | 'ended';

/** @param admits whether its plan allows calls, by the database's clock */
export function stateOf(
  { suspendedAt, subscriptionStatus }: Pick<Customer, 'suspendedAt' | 'subscriptionStatus'>,
  admits: boolean,
): CustomerState {
  if (suspendedAt !== null) return 'suspended';
  if (subscriptionStatus === 'past_due' || subscriptionStatus === 'canceled') {
    return subscriptionStatus;
  }
  return admits ? (subscriptionStatus ?? 'active') : 'ended';
}

/** What a customer is called. */
export const calledOf = ({ name, externalId }: CustomerName): string => name || externalId;

/** A customer as the browser gets it. */
export type CustomerTarget = Omit<Customer, 'suspendedAt' | 'currentPeriodEnd' | 'createdAt'> & {
  isSuspended: boolean;
  /** ISO 8601; null if its plan has no end. */
  currentPeriodEnd: string | null;
};

export const targetOf = ({
  suspendedAt,
  createdAt: _,
  currentPeriodEnd,
  ...customer
}: Customer): CustomerTarget => ({
  ...customer,
  isSuspended: suspendedAt !== null,
  currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
});

/** What all dialogs of customers share. */
export interface CustomerDialogFacts {
  projectId: string;
  /** The plans that are offered before anything is typed. */
  plans: readonly Choice[];
}
