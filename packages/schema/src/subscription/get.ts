import type { SubscriptionStatus } from '@ceiba/contract';
import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import type { Plan } from '../plan/list.ts';
import { planColumns } from '../plan/list.ts';
import { plans, subscriptions } from '../tables.ts';
import { toMs } from '../time.ts';
import { admitsNow } from './admits.ts';

export interface Subscription {
  status: SubscriptionStatus;
  currentPeriodEnd: Date | null;
  /** Whether it allows requests now, by the database's clock. */
  admits: boolean;
  plan: Plan;
}

/**
 * When the period ends, read as a number: `Date` cannot parse the text that Postgres writes of a
 * year before 100, and such a row must stay readable to be corrected.
 */
export const periodEndColumn = sql`${toMs(sql`${subscriptions.currentPeriodEnd}`)}`.mapWith(
  (ms: number): Date | null => new Date(Math.round(ms)),
);

/** For a query that joins the plan. */
export const subscriptionColumns = {
  status: subscriptions.status,
  currentPeriodEnd: periodEndColumn,
  admits: sql<boolean>`${sql.raw(admitsNow('subscriptions'))}`,
  plan: planColumns,
};

/** @returns null when the project has no subscription */
export async function getSubscription(
  db: { orm: Executor },
  projectId: string,
): Promise<Subscription | null> {
  const [row] = await db.orm
    .select(subscriptionColumns)
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(eq(subscriptions.projectId, projectId));
  return row ?? null;
}
