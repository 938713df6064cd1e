import { type KeyLimits, type Labels, limitsIn } from '@ceiba/domain';
import { and, asc, count, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { Given } from '../context.ts';
import { LIMIT_NAMES } from '../input.ts';
import { hasText } from '../page.ts';
import { customerPlans, customers } from '../tables.ts';

/** What an owner sells to the customers of a project. What is null, it does not limit. */
export interface CustomerPlan extends KeyLimits {
  planId: string;
  projectId: string;
  name: string;
  /** The most active keys of each of its customers. */
  activeKeyCap: number | null;
  /** The labels of the policies that its customers' keys may call; null for all. */
  scopes: Labels;
}

/** What a user sets of a customer plan. */
export type CustomerPlanState = Omit<CustomerPlan, 'planId' | 'projectId'>;

/** What a change sets of a customer plan: absent fields keep their values, null removes them. */
export type CustomerPlanFields = Given<CustomerPlanState>;

/** For `checked`. */
export const CUSTOMER_PLAN_FIELDS = ['name', 'activeKeyCap', 'scopes', ...LIMIT_NAMES] as const;

export const customerPlanState = {
  name: customerPlans.name,
  activeKeyCap: customerPlans.activeKeyCap,
  ...limitsIn(customerPlans),
  scopes: customerPlans.scopes,
};

export interface CustomerPlanRef {
  projectId: string;
  planId: string;
}

/** Selects a customer plan of a project. */
export const isCustomerPlan = ({ projectId, planId }: CustomerPlanRef) =>
  and(eq(customerPlans.id, planId), eq(customerPlans.projectId, projectId));

export interface CustomerPlanWithUse extends CustomerPlan {
  /** How many customers are on it; only at 0 can it be deleted. */
  customers: number;
}

/** A project's customer plans with the number of their customers, by name. */
export async function listCustomerPlans(
  db: { orm: Executor },
  projectId: string,
): Promise<CustomerPlanWithUse[]> {
  return db.orm
    .select({
      planId: customerPlans.id,
      projectId: customerPlans.projectId,
      ...customerPlanState,
      customers: count(customers.id),
    })
    .from(customerPlans)
    .leftJoin(
      customers,
      and(eq(customers.projectId, customerPlans.projectId), eq(customers.planId, customerPlans.id)),
    )
    .where(eq(customerPlans.projectId, projectId))
    .groupBy(customerPlans.id)
    .orderBy(asc(customerPlans.name));
}

export interface SearchCustomerPlansInput {
  projectId: string;
  /** Part of the name, in either case; all plans without it. */
  text?: string;
  /** The most plans. */
  limit: number;
}

/** A project's customer plans to choose from, by name. */
export const searchCustomerPlans = (
  db: { orm: Executor },
  { projectId, text, limit }: SearchCustomerPlansInput,
): Promise<CustomerPlanState[]> =>
  db.orm
    .select(customerPlanState)
    .from(customerPlans)
    .where(and(eq(customerPlans.projectId, projectId), hasText(customerPlans.name, text)))
    .orderBy(asc(customerPlans.name))
    .limit(limit);
