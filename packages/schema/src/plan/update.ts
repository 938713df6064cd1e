import { DEFAULT_PLAN_NAME } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { onUniqueViolation } from '../connection/errors.ts';
import { inTransaction, isUnchanged, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { plans } from '../tables.ts';
import { PLAN_FIELDS } from './create.ts';
import { type Plan, planColumns } from './list.ts';

export type UpdatePlanInput = Pick<Plan, 'planId'> & Partial<Omit<Plan, 'planId'>>;

export type UpdatePlanResult = {
  /** `default_plan`: new projects start on the plan `Free`, so it keeps its name. */
  kind: 'updated' | 'unchanged' | 'name_taken' | 'default_plan' | 'not_found';
};

/**
 * Renames a plan or sets its limits; absent fields keep their values. Takes effect for every project
 * on the plan with the next decision. A lower cap keeps existing keys and refuses new ones.
 */
export async function updatePlan(
  ctx: VerbContext,
  { planId, ...input }: UpdatePlanInput,
): Promise<UpdatePlanResult> {
  const values = checked(input, PLAN_FIELDS);
  const change = inTransaction<UpdatePlanResult>(ctx, async (tx) => {
    const [found] = await tx
      .select(planColumns)
      .from(plans)
      .where(eq(plans.id, planId))
      .for('no key update');
    if (found === undefined) return { kind: 'not_found' };
    const { planId: _, ...before } = found;
    const after = { ...before, ...values };
    if (isUnchanged(before, after)) return { kind: 'unchanged' };
    if (before.name === DEFAULT_PLAN_NAME && after.name !== before.name) {
      return { kind: 'default_plan' };
    }
    await tx.update(plans).set(after).where(eq(plans.id, planId));
    await writeAudit(tx, ctx, {
      action: 'plan.update',
      target: { id: planId, label: after.name },
      before,
      after,
    });
    return { kind: 'updated' };
  });
  return change.catch(onUniqueViolation({ kind: 'name_taken' }));
}
