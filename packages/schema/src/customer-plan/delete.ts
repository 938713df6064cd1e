import { and, eq } from 'drizzle-orm';
import type { VerbContext } from '../context.ts';
import { changingProject } from '../project/change.ts';
import { customerPlans, customers } from '../tables.ts';
import { type CustomerPlanRef, customerPlanState, isCustomerPlan } from './list.ts';

export type DeleteCustomerPlanResult =
  | { kind: 'in_use'; customers: number }
  | { kind: 'deleted' | 'not_found' };

/** Deletes a customer plan that no customer is on. */
export async function deleteCustomerPlan(
  ctx: VerbContext,
  ref: CustomerPlanRef,
): Promise<DeleteCustomerPlanResult> {
  const { projectId, planId } = ref;
  return changingProject<DeleteCustomerPlanResult>(ctx, projectId, async (tx, _, audit) => {
    // A concurrent change of a customer locks this row, so the count below sees it.
    const [before] = await tx
      .select(customerPlanState)
      .from(customerPlans)
      .where(isCustomerPlan(ref))
      .for('update');
    if (before === undefined) return { kind: 'not_found' };
    const isOnPlan = and(eq(customers.projectId, projectId), eq(customers.planId, planId));
    const inUse = await tx.$count(customers, isOnPlan);
    if (inUse > 0) return { kind: 'in_use', customers: inUse };
    await tx.delete(customerPlans).where(isCustomerPlan(ref));
    await audit('customer_plan.delete', { id: planId, label: before.name }, { before });
    return { kind: 'deleted' };
  });
}
