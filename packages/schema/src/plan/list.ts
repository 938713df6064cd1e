import { asc, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { plans } from '../tables.ts';

/** Limits are whole numbers from 0, which admits nothing, to 2,147,483,647. */
export interface Plan {
  planId: string;
  name: string;
  activeKeyCap: number;
  rateLimitPerMinute: number;
  monthlyQuota: number;
}

export const planColumns = {
  planId: plans.id,
  name: plans.name,
  activeKeyCap: plans.activeKeyCap,
  rateLimitPerMinute: plans.rateLimitPerMinute,
  monthlyQuota: plans.monthlyQuota,
};

/** Every plan, the smallest quota first. */
export async function listPlans(db: { orm: Executor }): Promise<Plan[]> {
  return db.orm.select(planColumns).from(plans).orderBy(asc(plans.monthlyQuota), asc(plans.name));
}

/** @returns the plan of that name, or null */
export async function findPlanByName(db: { orm: Executor }, name: string): Promise<Plan | null> {
  const [row] = await db.orm.select(planColumns).from(plans).where(eq(plans.name, name));
  return row ?? null;
}
