import type { CustomerPlanWithUse } from '@ceiba/schema';

/** What a dialog does; without a plan it adds one. */
export interface PlanStep {
  kind: 'edit' | 'delete';
  plan: CustomerPlanWithUse | undefined;
}
