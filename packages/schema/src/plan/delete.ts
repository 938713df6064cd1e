import { DEFAULT_PLAN_NAME } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { plans, subscriptions } from '../tables.ts';
import { planColumns } from './list.ts';

export type DeletePlanResult =
  | { kind: 'in_use'; projects: number }
  /** `default_plan`: new projects start on the plan `Free`, so it cannot be deleted. */
  | { kind: 'deleted' | 'default_plan' | 'not_found' };

/** Deletes a plan that no project is on. */
export function deletePlan(
  ctx: VerbContext,
  { planId }: { planId: string },
): Promise<DeletePlanResult> {
  return inTransaction(ctx, async (tx) => {
    // A concurrent subscription locks this row, so the count below sees it.
    const [found] = await tx
      .select(planColumns)
      .from(plans)
      .where(eq(plans.id, planId))
      .for('update');
    if (found === undefined) return { kind: 'not_found' };
    if (found.name === DEFAULT_PLAN_NAME) return { kind: 'default_plan' };
    const projects = await tx.$count(subscriptions, eq(subscriptions.planId, planId));
    if (projects > 0) return { kind: 'in_use', projects };
    await tx.delete(plans).where(eq(plans.id, planId));
    const { planId: _, ...before } = found;
    await writeAudit(tx, ctx, {
      action: 'plan.delete',
      target: { id: planId, label: before.name },
      before,
    });
    return { kind: 'deleted' };
  });
}
