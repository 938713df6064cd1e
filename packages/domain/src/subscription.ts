/** Plans, and which subscriptions allow calls. */
import {
  type DenialDetail,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from '@ceiba/contract/sets';
import type { PlanCallLimits } from './limits.ts';

/**
 * Whether a subscription with this status allows calls until its period ends. The database's clock
 * judges the end of the period (rule database-time).
 */
export const ADMITS = {
  active: true,
  trialing: true,
  past_due: false,
  canceled: false,
} as const satisfies Record<SubscriptionStatus, boolean>;

/** The statuses that allow calls, for a condition in SQL. */
export function statusesThatAdmit(): SubscriptionStatus[] {
  return SUBSCRIPTION_STATUSES.filter((status) => ADMITS[status]);
}

/** Why a subscription does not admit: one whose status would has reached the end of its period. */
export const LAPSED_BY = {
  active: 'period_ended',
  trialing: 'period_ended',
  past_due: 'past_due',
  canceled: 'canceled',
} as const satisfies Record<SubscriptionStatus, DenialDetail>;

/** What a plan allows a project: active keys, and calls per window. */
export interface PlanLimits extends PlanCallLimits {
  activeKeyCap: number;
}

/** The plans of a new installation; administrators edit them. */
export const SEEDED_PLANS = [
  { name: 'Free', activeKeyCap: 3, rateLimitPerMinute: 60, monthlyQuota: 10_000 },
  { name: 'Starter', activeKeyCap: 10, rateLimitPerMinute: 300, monthlyQuota: 100_000 },
  { name: 'Pro', activeKeyCap: 50, rateLimitPerMinute: 1_200, monthlyQuota: 1_000_000 },
  { name: 'Scale', activeKeyCap: 500, rateLimitPerMinute: 6_000, monthlyQuota: 20_000_000 },
] as const satisfies readonly (Omit<PlanLimits, 'dailyQuota'> & { name: string })[];

/** The plan that a new project starts on. */
export const DEFAULT_PLAN_NAME = 'Free' satisfies (typeof SEEDED_PLANS)[number]['name'];
