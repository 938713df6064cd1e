import { and, eq } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { lockProject } from '../project/lock.ts';
import { customerPlans } from '../tables.ts';
import { createCustomerPlan, type NewCustomerPlan } from './create.ts';
import { CUSTOMER_PLAN_FIELDS, type CustomerPlan } from './list.ts';
import { updateCustomerPlan } from './update.ts';

export type PutCustomerPlanResult =
  | { kind: 'created' | 'updated' | 'unchanged'; plan: CustomerPlan }
  | { kind: 'not_found' };

/**
 * Creates the project's customer plan with that name, or sets its limits and labels: absent fields keep
 * their values, null removes them.
 */
export function putCustomerPlan(
  ctx: VerbContext,
  input: NewCustomerPlan,
): Promise<PutCustomerPlanResult> {
  const plan = checked(input, CUSTOMER_PLAN_FIELDS);
  return inTransaction(ctx, async (tx) => {
    const inner = { ...ctx, db: { orm: tx } };
    const { projectId, name } = plan;
    if ((await lockProject(tx, projectId)) === undefined) return { kind: 'not_found' };
    const [existing] = await tx
      .select({ planId: customerPlans.id })
      .from(customerPlans)
      .where(and(eq(customerPlans.projectId, projectId), eq(customerPlans.name, name)));
    const result =
      existing === undefined
        ? await createCustomerPlan(inner, plan)
        : await updateCustomerPlan(inner, { ...plan, ...existing });
    if ('plan' in result) return result;
    throw new Error(`a customer plan of a locked project could not be changed: ${result.kind}`);
  });
}
