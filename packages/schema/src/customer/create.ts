import { isDeepStrictEqual } from 'node:util';
import { and, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { givenIn, type VerbContext } from '../context.ts';
import { CUSTOMER_RULES, checked } from '../input.ts';
import { type Audit, changingProject } from '../project/change.ts';
import { customers } from '../tables.ts';
import {
  auditOfCustomer,
  CUSTOMER_FIELDS,
  type CustomerFields,
  type CustomerState,
  columnsOfState,
  newCustomer,
  withFields,
} from './fields.ts';
import { type Customer, isCustomer, selectCustomers } from './get.ts';

export interface CreateCustomerInput extends CustomerFields {
  projectId: string;
  externalId: string;
}

export type CreateCustomerResult =
  /** `exists`: there is one of that id, and it has the fields that are given. */
  | { kind: 'created' | 'exists'; customer: Customer }
  /** There is one of that id with another value of this field. */
  | { kind: 'conflict'; field: string }
  | { kind: 'unknown_plan' | 'not_found' };

/**
 * Creates a customer, unless the project has one of that external id: then the fields that are given are
 * compared with those that it has, so that a call can be repeated.
 */
export async function createCustomer(
  ctx: VerbContext,
  given: CreateCustomerInput,
): Promise<CreateCustomerResult> {
  const { projectId, ...fields } = checked(given, CUSTOMER_FIELDS, CUSTOMER_RULES);
  return changingProject(ctx, projectId, async (tx, _, audit) => {
    const present = await findCustomer(tx, { projectId, ...fields });
    const before = newCustomer(fields.externalId);
    if (present !== undefined) {
      const field = differenceOf(present, fields);
      return field === undefined
        ? { kind: 'exists', customer: present }
        : { kind: 'conflict', field };
    }
    const state = await withFields(tx, projectId, { before, given: fields });
    if (state === null) return { kind: 'unknown_plan' };
    return { kind: 'created', customer: await insertCustomer(tx, { projectId, state, audit }) };
  });
}

/** The customer of an external id. The project has to be locked, so that no other call creates it. */
export async function findCustomer(
  tx: Executor,
  { projectId, externalId }: { projectId: string; externalId: string },
): Promise<Customer | undefined> {
  const [row] = await selectCustomers(
    tx,
    and(eq(customers.projectId, projectId), eq(customers.externalId, externalId)),
  );
  return row;
}

export async function insertCustomer(
  tx: Executor,
  { projectId, state, audit }: { projectId: string; state: CustomerState; audit: Audit },
): Promise<Customer> {
  const [row] = await tx
    .insert(customers)
    .values({ projectId, ...columnsOfState(state) })
    .returning({ customerId: customers.id });
  if (row === undefined) throw new Error('an insert returned no row');
  const after = auditOfCustomer(state);
  await audit('customer.create', { id: row.customerId, label: state.externalId }, { after });
  const [customer] = await selectCustomers(tx, isCustomer({ projectId, ...row }));
  if (customer === undefined) throw new Error('a customer that was inserted is not there');
  return customer;
}

/** The first field that is given and that the customer has another value of. */
function differenceOf(present: Customer, fields: CustomerFields): string | undefined {
  const has = new Map<string, unknown>(
    Object.entries({ ...present, plan: present.plan?.name ?? null }),
  );
  return Object.entries(givenIn(fields)).find(
    ([field, value]) => !isDeepStrictEqual(has.get(field), value),
  )?.[0];
}
