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
  /** ISO 8601; null if its plan has no end. */
  currentPeriodEnd: string | null;
};

/** What all dialogs of a customer share. */
export interface CustomerDialogFacts {
  target: CustomerTarget;
  projectId: string;
  /** The plans that are offered before anything is typed. */
  plans: readonly Choice[];
}
