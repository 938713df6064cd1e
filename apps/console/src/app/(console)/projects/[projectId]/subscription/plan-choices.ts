import 'server-only';
import { type Database, type Plan, searchPlans } from '@ceiba/schema';
import type { Choice } from '#components/combobox.tsx';
import { legible } from '#lib/text.ts';
import { PLANS_LISTED, planDetail } from '../plan-detail.ts';

/** A plan to choose, with what the choice would do. */
export interface PlanChoice extends Choice {
  plan: Plan;
}

/** The plans with a text in their name, those of the user's own projects first. */
export async function findPlanChoices(
  db: Database,
  userId: string,
  text = '',
): Promise<PlanChoice[]> {
  const found = await searchPlans(db, { userId, text, limit: PLANS_LISTED });
  return found.map(({ isOwn, ...plan }) => ({
    ...planChoice(plan),
    group: isOwn ? 'Plans of your projects' : 'Other plans',
  }));
}

export function planChoice(plan: Plan): PlanChoice {
  const detail = planDetail(plan);
  return { id: plan.planId, label: legible(plan.name), ...(detail && { detail }), plan };
}
