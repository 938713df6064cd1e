import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked, LIMIT_NAMES } from '../input.ts';
import { plans } from '../tables.ts';
import type { NewPlan } from './list.ts';

export type CreatePlanResult = { kind: 'created'; planId: string } | { kind: 'name_taken' };

export const PLAN_FIELDS = ['name', 'activeKeyCap', ...LIMIT_NAMES] as const;

/** Creates a plan. Names are unique. */
export async function createPlan(ctx: VerbContext, input: NewPlan): Promise<CreatePlanResult> {
  const plan = checked(input, PLAN_FIELDS);
  return inTransaction(ctx, async (tx) => {
    const [created] = await tx
      .insert(plans)
      .values(plan)
      .onConflictDoNothing({ target: plans.name })
      .returning({ planId: plans.id });
    if (created === undefined) return { kind: 'name_taken' };
    await writeAudit(tx, ctx, {
      action: 'plan.create',
      target: { id: created.planId, label: plan.name },
      after: plan,
    });
    return { kind: 'created', planId: created.planId };
  });
}
