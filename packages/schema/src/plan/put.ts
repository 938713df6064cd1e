import { eq } from 'drizzle-orm';
import { inTransaction, type VerbContext } from '../context.ts';
import { plans } from '../tables.ts';
import { createPlan } from './create.ts';
import type { NewPlan } from './list.ts';
import { updatePlan } from './update.ts';

export type PutPlanResult = { kind: 'created' | 'updated' | 'unchanged'; planId: string };

/** Creates the plan with that name, or sets its limits, which take effect with the next decision. */
export function putPlan(ctx: VerbContext, plan: NewPlan): Promise<PutPlanResult> {
  return inTransaction(ctx, async (tx) => {
    const inner = { ...ctx, db: { orm: tx } };
    const created = await createPlan(inner, plan);
    if (created.kind === 'created') return created;
    const [existing] = await tx
      .select({ planId: plans.id })
      .from(plans)
      .where(eq(plans.name, plan.name))
      .for('no key update');
    if (existing === undefined) throw new Error('a plan was deleted while it was being changed');
    const { dailyQuota, ...limits } = plan;
    const given = dailyQuota === undefined ? limits : { ...limits, dailyQuota };
    const { kind } = await updatePlan(inner, { ...given, ...existing });
    if (kind === 'updated' || kind === 'unchanged') return { kind, ...existing };
    throw new Error(`a locked plan could not be changed: ${kind}`);
  });
}
