import 'server-only';
import { type Labels, opens } from '@ceiba/domain/labels';
import { type Database, getSubscription, listPolicies, within } from '@ceiba/schema';
import { whyInactive } from '#components/subscription/next-decision.tsx';
import type { ExampleCall } from '#lib/curl-example.ts';
import { exampleCall } from '#lib/example-call.ts';
import type { CustomerState } from '../customers/customer-state.ts';
import { type NamedCustomer, readKeyCustomer } from './key-customer.ts';

/** What to try a new key with. */
export interface FirstCall {
  /** A call that a policy allows it; null if there is none, or it could not be read in time. */
  example: ExampleCall | null;
  /** Why every call with it would be denied; null if one may be allowed. */
  denied: string | null;
}

export interface PlannedKey {
  projectId: string;
  customer: NamedCustomer | null;
  scopes: Labels;
}

const READ_MS = 1_000;
const UNREAD: FirstCall = { example: null, denied: null };

/** Where it cannot be read in time, the key is created and shown without it. */
export const readFirstCall = (db: Database, planned: PlannedKey): Promise<FirstCall> =>
  within(READ_MS, read(db, planned), () => new Error('too slow')).catch(() => UNREAD);

async function read(
  db: Database,
  { projectId, customer: named, scopes }: PlannedKey,
): Promise<FirstCall> {
  const [subscription, policies, customer] = await Promise.all([
    getSubscription(db, projectId),
    listPolicies(db, projectId),
    named && readKeyCustomer(db, projectId, named),
  ]);
  const lists = [scopes, customer?.use.planScopes ?? null];
  const example = exampleCall(policies, (policy) => lists.every((list) => opens(list, policy)));
  return {
    example,
    denied:
      whyInactive(subscription) ??
      (customer && DENIED_IN[customer.state]) ??
      (example === null ? 'no policy is open to it' : null),
  };
}

const DENIED_IN: Readonly<Record<CustomerState, string | null>> = {
  active: null,
  trialing: null,
  suspended: 'its customer is suspended',
  past_due: 'the plan of its customer is past due',
  canceled: 'the plan of its customer is canceled',
  ended: 'the plan of its customer ended',
};
