import type { Metadata, SubscriptionStatus } from '@ceiba/contract';
import { type KeyLimits, limitsIn } from '@ceiba/domain';
import { and, eq, type SQL } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { customerPlans, customers } from '../tables.ts';

/** A customer of a project's owner, with limits of its own, each of which replaces its plan's. */
export interface Customer extends KeyLimits {
  customerId: string;
  /** The owner's own id. */
  externalId: string;
  /** Empty where it has none. */
  name: string;
  metadata: Metadata;
  /** Its keys are denied since then. */
  suspendedAt: Date | null;
  plan: { planId: string; name: string } | null;
  /** Null without a plan. */
  subscriptionStatus: SubscriptionStatus | null;
  /** The plan lapses at this instant; null means that it has no end. */
  currentPeriodEnd: Date | null;
  /** The day of the month, in UTC, on which its month begins. */
  billingDay: number;
  createdAt: Date;
}

export interface CustomerRef {
  projectId: string;
  customerId: string;
}

/** Selects a customer of a project: another project's customer is not found. */
export const isCustomer = ({ projectId, customerId }: CustomerRef) =>
  and(eq(customers.id, customerId), eq(customers.projectId, projectId));

const customerColumns = {
  customerId: customers.id,
  externalId: customers.externalId,
  name: customers.name,
  metadata: customers.metadata,
  suspendedAt: customers.suspendedAt,
  plan: { planId: customerPlans.id, name: customerPlans.name },
  subscriptionStatus: customers.subscriptionStatus,
  currentPeriodEnd: customers.currentPeriodEnd,
  billingDay: customers.billingDay,
  ...limitsIn(customers),
  createdAt: customers.createdAt,
};

/** The customers that a condition selects, with their plans. */
export const selectCustomers = (db: Executor, where: SQL | undefined) =>
  db
    .select(customerColumns)
    .from(customers)
    .leftJoin(
      customerPlans,
      and(eq(customerPlans.projectId, customers.projectId), eq(customerPlans.id, customers.planId)),
    )
    .where(where)
    .$dynamic();

/** @returns null when the project has no such customer */
export async function getCustomer(
  db: { orm: Executor },
  ref: CustomerRef,
): Promise<Customer | null> {
  const [row] = await selectCustomers(db.orm, isCustomer(ref));
  return row ?? null;
}
