import 'server-only';
import {
  type Customer,
  type CustomerUse,
  type Database,
  listCustomers,
  readCustomerUse,
} from '@ceiba/schema';
import { type CustomerState, stateOf } from '../customers/customer-state.ts';

/** The customer of a key, as far as it decides the calls of the key. */
export interface KeyCustomer extends Customer {
  use: CustomerUse;
  state: CustomerState;
}

/** Null if the project has no such customer. */
export async function readKeyCustomer(
  db: Database,
  projectId: string,
  externalId: string,
): Promise<KeyCustomer | null> {
  const { items } = await listCustomers(db, { projectId, filter: { externalId }, limit: 1 });
  const [customer] = items;
  if (customer === undefined) return null;
  const { customerId } = customer;
  const use = (await readCustomerUse(db, { projectId, customerIds: [customerId] })).get(customerId);
  return use ? { ...customer, use, state: stateOf(customer, use.admits) } : null;
}
