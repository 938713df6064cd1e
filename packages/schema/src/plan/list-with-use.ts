import { DEFAULT_PLAN_NAME } from '@ceiba/domain';
import { asc, eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { plans, subscriptions } from '../tables.ts';
import { type Plan, planColumns } from './list.ts';

export interface PlanWithUse extends Plan {
  /** How many projects are on it; it can be deleted at 0. */
  projects: number;
  /** The plan that new projects start on: it can be neither renamed nor deleted. */
  isDefault: boolean;
}

/** Every plan of the installation, the smallest quota first. */
export async function listPlansWithUse(db: { orm: Executor }): Promise<PlanWithUse[]> {
  const rows = await db.orm
    .select({ ...planColumns, projects: sql<number>`count(${subscriptions.id})::int` })
    .from(plans)
    .leftJoin(subscriptions, eq(subscriptions.planId, plans.id))
    .groupBy(plans.id)
    .orderBy(asc(plans.monthlyQuota), asc(plans.name));
  return rows.map((row) => ({ ...row, isDefault: row.name === DEFAULT_PLAN_NAME }));
}
