import { sql } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { changingProject } from '../project/change.ts';
import { customers } from '../tables.ts';
import { type Customer, type CustomerRef, isCustomer, selectCustomers } from './get.ts';

export type SetCustomerSuspendedResult =
  | { kind: 'updated' | 'unchanged'; customer: Customer }
  | { kind: 'not_found' };

/** Denies every key of a customer from the next decision on, until it is resumed. */
export const suspendCustomer = (ctx: VerbContext, ref: CustomerRef) => setSuspended(ctx, ref, true);

/** Ends what {@link suspendCustomer} began: the next decision no longer denies its keys for it. */
export const resumeCustomer = (ctx: VerbContext, ref: CustomerRef) => setSuspended(ctx, ref, false);

function setSuspended(
  ctx: VerbContext,
  { projectId, customerId }: CustomerRef,
  isSuspended: boolean,
): Promise<SetCustomerSuspendedResult> {
  const ref = { projectId, customerId };
  return changingProject(ctx, projectId, async (tx, _, audit) => {
    const [before] = await selectCustomers(tx, isCustomer(ref)).for('no key update', {
      of: customers,
    });
    if (before === undefined) return { kind: 'not_found' };
    if ((before.suspendedAt !== null) === isSuspended) {
      return { kind: 'unchanged', customer: before };
    }
    const [row] = await tx
      .update(customers)
      .set({ suspendedAt: isSuspended ? sql`now()` : null })
      .where(isCustomer(ref))
      .returning({ suspendedAt: customers.suspendedAt });
    if (row === undefined) throw new Error('a locked customer was not updated');
    const stateOf = ({ suspendedAt }: Pick<Customer, 'suspendedAt'>) => ({
      suspendedAt: suspendedAt?.toISOString() ?? null,
    });
    await audit(
      isSuspended ? 'customer.suspend' : 'customer.resume',
      { id: customerId, label: before.externalId },
      { before: stateOf(before), after: stateOf(row) },
    );
    return { kind: 'updated', customer: { ...before, ...row } };
  });
}
