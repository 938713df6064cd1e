import type { Executor } from '../connection/database.ts';
import { InvalidInputError } from '../input.ts';
import type { Audit } from '../project/change.ts';
import { findCustomer, insertCustomer } from './create.ts';
import { newCustomer } from './fields.ts';
import { type Customer, isCustomer, selectCustomers } from './get.ts';

/** How a key names its customer: in at most one of two ways, of which null is none. */
export interface NamedCustomer {
  customerId?: string | null | undefined;
  /** Created where the project has none. */
  externalCustomerId?: string | null | undefined;
}

/** @throws InvalidInputError where a customer is named twice */
export function requireOneName({ customerId, externalCustomerId }: NamedCustomer): void {
  if (customerId === undefined || externalCustomerId === undefined) return;
  const rule = 'must not be given together with externalCustomerId';
  throw new InvalidInputError([{ field: 'customerId', rule }]);
}

/**
 * The customer that a key names, while its project is locked.
 *
 * @returns null for none, or `unknown` where the project does not have it
 */
export async function customerNamed(
  tx: Executor,
  { customerId, externalCustomerId: externalId }: NamedCustomer,
  { projectId, audit }: { projectId: string; audit: Audit },
): Promise<Customer | null | 'unknown'> {
  if (externalId != null) {
    const present = await findCustomer(tx, { projectId, externalId });
    return present ?? insertCustomer(tx, { projectId, state: newCustomer(externalId), audit });
  }
  if (customerId == null) return null;
  const [found] = await selectCustomers(tx, isCustomer({ projectId, customerId }));
  return found ?? 'unknown';
}
