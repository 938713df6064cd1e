import { DEFAULT_PLAN_NAME } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { isUniqueViolation } from '../connection/errors.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { plans } from '../tables.ts';
import { type Plan, planColumns } from './list.ts';

export type UpdatePlanInput = Pick<Plan, 'planId'> & Partial<Omit<Plan, 'planId'>>;

export type UpdatePlanResult = {
  /** New projects start on the plan `Free`, so it keeps its name: `default_plan`. */
  kind: 'updated' | 'unchanged' | 'name_taken' | 'default_plan' | 'not_found';
};

/**
 * Renames a plan or sets its limits; an absent field stays as it is. Holds for every project on it
 * from the next decision on. A smaller cap leaves existing keys working and refuses new ones.
 */
export async function updatePlan(
  ctx: VerbContext,
  { planId, ...values }: UpdatePlanInput,
): Promise<UpdatePlanResult> {
  try {
    return await inTransaction(ctx, async (tx) => {
      const [found] = await tx
        .select(planColumns)
        .from(plans)
        .where(eq(plans.id, planId))
        .for('no key update');
      if (found === undefined) return { kind: 'not_found' };
      const { planId: _, ...before } = found;
      const after = { ...before, ...values };
      if (FIELDS.every((field) => before[field] === after[field])) return { kind: 'unchanged' };
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
  } catch (fault) {
    if (isUniqueViolation(fault)) return { kind: 'name_taken' };
    throw fault;
  }
}

const FIELDS = ['name', 'activeKeyCap', 'rateLimitPerMinute', 'monthlyQuota'] as const;
