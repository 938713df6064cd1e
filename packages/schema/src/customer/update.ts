import { isDeepStrictEqual } from 'node:util';
import { onForeignKeyViolation, onUniqueViolation } from '../connection/errors.ts';
import type { VerbContext } from '../context.ts';
import { CUSTOMER_RULES, checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { customers } from '../tables.ts';
import {
  auditOfCustomer,
  CUSTOMER_FIELDS,
  type CustomerFields,
  columnsOfState,
  withFields,
} from './fields.ts';
import { type Customer, type CustomerRef, isCustomer, selectCustomers } from './get.ts';

export type UpdateCustomerResult =
  | { kind: 'updated' | 'unchanged'; customer: Customer }
  /** Another customer of the project has this external id. */
  | { kind: 'conflict'; field: 'externalId' }
  | { kind: 'unknown_plan' | 'not_found' };

/**
 * Changes a customer; absent fields keep their values. Takes effect with the next decision of each of its
 * keys. Another billing day begins its month again.
 */
export async function updateCustomer(
  ctx: VerbContext,
  input: CustomerRef & CustomerFields,
): Promise<UpdateCustomerResult> {
  const { projectId, customerId, ...given } = checked(input, CUSTOMER_FIELDS, CUSTOMER_RULES);
  const ref = { projectId, customerId };
  const change = changingProject<UpdateCustomerResult>(ctx, projectId, async (tx, _, audit) => {
    const [found] = await selectCustomers(tx, isCustomer(ref)).for('no key update', {
      of: customers,
    });
    if (found === undefined) return { kind: 'not_found' };
    const { customerId: _id, suspendedAt, createdAt, ...before } = found;
    const after = await withFields(tx, projectId, { before, given });
    if (after === null) return { kind: 'unknown_plan' };
    if (isDeepStrictEqual(before, after)) return { kind: 'unchanged', customer: found };
    await tx.update(customers).set(columnsOfState(after)).where(isCustomer(ref));
    const texts = (['name', 'metadata'] as const).filter(
      (field) => !isDeepStrictEqual(before[field], after[field]),
    );
    await audit(
      'customer.update',
      { id: customerId, label: after.externalId },
      {
        before: auditOfCustomer(before),
        after: { ...auditOfCustomer(after), ...(texts.length > 0 && { changedTexts: texts }) },
      },
    );
    return { kind: 'updated', customer: { customerId, suspendedAt, createdAt, ...after } };
  });
  return change
    .catch(onUniqueViolation({ kind: 'conflict' as const, field: 'externalId' as const }))
    .catch(onForeignKeyViolation({ kind: 'unknown_plan' as const }));
}
