import { onUniqueViolation } from '../connection/errors.ts';
import { givenIn, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { customerPlans } from '../tables.ts';
import {
  CUSTOMER_PLAN_FIELDS,
  type CustomerPlan,
  type CustomerPlanFields,
  type CustomerPlanRef,
  customerPlanState,
  isCustomerPlan,
} from './list.ts';

export type UpdateCustomerPlanInput = CustomerPlanRef & CustomerPlanFields;

export type UpdateCustomerPlanResult =
  | { kind: 'updated' | 'unchanged'; plan: CustomerPlan }
  | { kind: 'name_taken' | 'not_found' };

/**
 * Renames a customer plan or sets its limits and labels; absent fields keep their values, null removes
 * them. Takes effect for every customer on it with the next decision. A lower cap keeps existing keys and
 * refuses new ones.
 */
export async function updateCustomerPlan(
  ctx: VerbContext,
  { projectId, planId, ...input }: UpdateCustomerPlanInput,
): Promise<UpdateCustomerPlanResult> {
  const given = checked(input, CUSTOMER_PLAN_FIELDS);
  const ref = { projectId, planId };
  const change = changingProject<UpdateCustomerPlanResult>(ctx, projectId, async (tx, _, audit) => {
    const [before] = await tx
      .select(customerPlanState)
      .from(customerPlans)
      .where(isCustomerPlan(ref));
    if (before === undefined) return { kind: 'not_found' };
    const after = { ...before, ...givenIn(given) };
    const plan = { ...ref, ...after };
    if (isUnchanged(before, after)) return { kind: 'unchanged', plan };
    await tx.update(customerPlans).set(after).where(isCustomerPlan(ref));
    await audit('customer_plan.update', { id: planId, label: after.name }, { before, after });
    return { kind: 'updated', plan };
  });
  return change.catch(onUniqueViolation({ kind: 'name_taken' }));
}
