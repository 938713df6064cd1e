import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { plans } from '../tables.ts';
import { type Plan, planColumns } from './list.ts';

export type PutPlanResult = { kind: 'created' | 'updated' | 'unchanged'; planId: string };

/** Creates the plan of that name, or sets its limits; new limits hold from the next decision on. */
export function putPlan(
  ctx: VerbContext,
  { name, ...limits }: Omit<Plan, 'planId'>,
): Promise<PutPlanResult> {
  return inTransaction(ctx, async (tx) => {
    const [created] = await tx
      .insert(plans)
      .values({ name, ...limits })
      .onConflictDoNothing({ target: plans.name })
      .returning({ planId: plans.id });
    if (created !== undefined) {
      await writeAudit(tx, ctx, {
        action: 'plan.create',
        target: { id: created.planId, label: name },
        after: { name, ...limits },
      });
      return { kind: 'created', planId: created.planId };
    }
    const [before] = await tx
      .select(planColumns)
      .from(plans)
      .where(eq(plans.name, name))
      .for('no key update');
    if (before === undefined) throw new Error('a plan was deleted while it was being changed');
    const { planId, ...old } = before;
    if (limitNames.every((limit) => old[limit] === limits[limit])) {
      return { kind: 'unchanged', planId };
    }
    await tx.update(plans).set(limits).where(eq(plans.id, planId));
    await writeAudit(tx, ctx, {
      action: 'plan.update',
      target: { id: planId, label: name },
      before: old,
      after: { name, ...limits },
    });
    return { kind: 'updated', planId };
  });
}

const limitNames = ['activeKeyCap', 'rateLimitPerMinute', 'monthlyQuota'] as const;
