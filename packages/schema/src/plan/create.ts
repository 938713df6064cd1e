import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { plans } from '../tables.ts';
import type { Plan } from './list.ts';

export type CreatePlanResult = { kind: 'created'; planId: string } | { kind: 'name_taken' };

/** Creates a plan. Names are unique. */
export async function createPlan(
  ctx: VerbContext,
  plan: Omit<Plan, 'planId'>,
): Promise<CreatePlanResult> {
  const { name, activeKeyCap, rateLimitPerMinute, monthlyQuota } = checked(plan);
  return inTransaction(ctx, async (tx) => {
    const values = { name, activeKeyCap, rateLimitPerMinute, monthlyQuota };
    const [created] = await tx
      .insert(plans)
      .values(values)
      .onConflictDoNothing({ target: plans.name })
      .returning({ planId: plans.id });
    if (created === undefined) return { kind: 'name_taken' };
    await writeAudit(tx, ctx, {
      action: 'plan.create',
      target: { id: created.planId, label: name },
      after: values,
    });
    return { kind: 'created', planId: created.planId };
  });
}
