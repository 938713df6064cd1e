import { DEFAULT_PLAN_NAME, limitsIn, type PlanLimits } from '@ceiba/domain';
import { asc, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { plans, subscriptions } from '../tables.ts';

/** Limits are whole numbers from 0, which allows nothing; `LIMITS` of domain has the largest. */
export interface Plan extends PlanLimits {
  planId: string;
  name: string;
}

/** A new plan; one without a daily quota may leave it out. */
export type NewPlan = Omit<Plan, 'planId' | 'dailyQuota'> & {
  dailyQuota?: number | null | undefined;
};

export const planColumns = {
  planId: plans.id,
  name: plans.name,
  activeKeyCap: plans.activeKeyCap,
  ...limitsIn(plans),
};

export const SMALLEST_FIRST = [asc(plans.monthlyQuota), asc(plans.name)];

/** Every plan, smallest quota first. */
export async function listPlans(db: { orm: Executor }): Promise<Plan[]> {
  return db.orm
    .select(planColumns)
    .from(plans)
    .orderBy(...SMALLEST_FIRST);
}

export interface PlanWithUse extends Plan {
  /** How many projects are on the plan; only at 0 can it be deleted. */
  projects: number;
  /** Whether new projects start on it, so that it can be neither renamed nor deleted. */
  isDefault: boolean;
}

/** Every plan with the number of its projects, smallest quota first. */
export async function listPlansWithUse(db: { orm: Executor }): Promise<PlanWithUse[]> {
  const rows = await db.orm
    .select({ ...planColumns, projects: sql<number>`count(${subscriptions.id})::int` })
    .from(plans)
    .leftJoin(subscriptions, eq(subscriptions.planId, plans.id))
    .groupBy(plans.id)
    .orderBy(...SMALLEST_FIRST);
  return rows.map((row) => ({ ...row, isDefault: row.name === DEFAULT_PLAN_NAME }));
}

/** @returns the plan of that name, or null */
export async function findPlanByName(db: { orm: Executor }, name: string): Promise<Plan | null> {
  const [row] = await db.orm.select(planColumns).from(plans).where(eq(plans.name, name));
  return row ?? null;
}
