import 'server-only';
import {
  type Customer,
  type CustomerUse,
  type Database,
  getCustomer,
  listCustomers,
  readCustomerUse,
} from '@ceiba/schema';
import { type CustomerState, stateOf } from '../customers/customer-state.ts';

/** The customer of a key, as far as it decides the calls of the key. */
export interface KeyCustomer extends Customer {
  use: CustomerUse;
  state: CustomerState;
}

/** A customer by its own ID, or by its external ID. */
export type NamedCustomer = { customerId: string } | { externalCustomerId: string };

/** Null if the project has no such customer. */
export async function readKeyCustomer(
  db: Database,
  projectId: string,
  named: NamedCustomer,
): Promise<KeyCustomer | null> {
  const customer = await find(db, projectId, named);
  if (customer === null) return null;
  const { customerId } = customer;
  const use = (await readCustomerUse(db, { projectId, customerIds: [customerId] })).get(customerId);
  return use ? { ...customer, use, state: stateOf(customer, use.admits) } : null;
}

async function find(db: Database, projectId: string, named: NamedCustomer) {
  if ('customerId' in named) return getCustomer(db, { projectId, ...named });
  const filter = { externalId: named.externalCustomerId };
  const { items } = await listCustomers(db, { projectId, filter, limit: 1 });
  return items[0] ?? null;
}
