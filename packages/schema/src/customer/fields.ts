import type { Metadata, SubscriptionStatus } from '@ceiba/contract';
import { type KeyLimits, limitsIn, NO_LIMITS } from '@ceiba/domain';
import { and, eq } from 'drizzle-orm';
import type { Executor } from '../connection/database.ts';
import { type Given, givenIn } from '../context.ts';
import { InvalidInputError, LIMIT_NAMES } from '../input.ts';
import { customerPlans, type customers } from '../tables.ts';
import type { Customer } from './get.ts';

/** What a change sets of a customer; absent fields keep their values. */
export interface CustomerFields extends Given<KeyLimits> {
  externalId?: string | undefined;
  /** The empty text removes it. */
  name?: string | undefined;
  /** Replaces all of it. */
  metadata?: Metadata | undefined;
  /** The name of a customer plan of the project; null clears status and period end too. */
  plan?: string | null | undefined;
  /** Only with a plan. */
  subscriptionStatus?: SubscriptionStatus | undefined;
  /** Only with a plan. */
  currentPeriodEnd?: Date | null | undefined;
  billingDay?: number | undefined;
}

/** For `checked`. */
export const CUSTOMER_FIELDS = [
  'externalId',
  'name',
  'metadata',
  'subscriptionStatus',
  'currentPeriodEnd',
  'billingDay',
  ...LIMIT_NAMES,
] as const;

/** What fields set. */
export type CustomerState = Omit<Customer, 'customerId' | 'suspendedAt' | 'createdAt'>;

/** A customer of which only its id is given. */
export const newCustomer = (externalId: string): CustomerState => ({
  externalId,
  name: '',
  metadata: {},
  plan: null,
  subscriptionStatus: null,
  currentPeriodEnd: null,
  billingDay: 1,
  ...NO_LIMITS,
});

/**
 * A customer after a change.
 *
 * @returns null when the project has no plan of that name
 * @throws InvalidInputError for a status or a period end without a plan
 */
export async function withFields(
  tx: Executor,
  projectId: string,
  { before, given }: { before: CustomerState; given: CustomerFields },
): Promise<CustomerState | null> {
  const { plan: name, ...fields } = given;
  const plan = name == null ? name : await findPlan(tx, projectId, name);
  if (name != null && plan == null) return null;
  const after: CustomerState = { ...before, ...givenIn({ ...fields, plan }) };
  if (after.plan) return { ...after, subscriptionStatus: after.subscriptionStatus ?? 'active' };
  for (const field of ['subscriptionStatus', 'currentPeriodEnd'] as const) {
    if (given[field] != null) throw new InvalidInputError([{ field, rule: 'needs a plan' }]);
  }
  return { ...after, subscriptionStatus: null, currentPeriodEnd: null };
}

async function findPlan(tx: Executor, projectId: string, name: string) {
  // No text in Postgres can hold it, so no plan has it.
  if (name.includes('\0')) return undefined;
  const [plan] = await tx
    .select({ planId: customerPlans.id, name: customerPlans.name })
    .from(customerPlans)
    .where(and(eq(customerPlans.projectId, projectId), eq(customerPlans.name, name)));
  return plan;
}

/** The row of a customer. */
export const columnsOfState = ({
  plan,
  ...state
}: CustomerState): Omit<typeof customers.$inferInsert, 'projectId'> => ({
  ...state,
  planId: plan?.planId ?? null,
});

/**
 * What the audit log shows of a customer. It keeps neither name nor metadata, which may be personal data:
 * clearing them clears them everywhere.
 */
export const auditOfCustomer = (customer: CustomerState) => ({
  externalId: customer.externalId,
  plan: customer.plan?.name ?? null,
  subscriptionStatus: customer.subscriptionStatus,
  currentPeriodEnd: customer.currentPeriodEnd?.toISOString() ?? null,
  billingDay: customer.billingDay,
  ...limitsIn(customer),
});
