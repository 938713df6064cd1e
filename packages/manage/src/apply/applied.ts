import type { CustomerPlan, ReplacePoliciesResult } from '@ceiba/schema';
import type { CeibaFile, ProjectEntry } from './schema.ts';

export type Outcome = 'created' | 'updated' | 'unchanged';

/** The result of a run, in the file's order. */
export interface Applied {
  owner: { email: string; outcome: Outcome; isAdministrator: boolean } | null;
  plans: { plan: CeibaFile['plans'][number]; outcome: Outcome }[];
  projects: AppliedProject[];
}

export interface AppliedCustomerPlans {
  put: { plan: CustomerPlan; outcome: Outcome }[];
  removed: CustomerPlan[];
}

export interface AppliedProject {
  entry: ProjectEntry;
  projectId: string;
  /** Only in the run that created the project; it is stored nowhere. */
  projectSecret: string | null;
  /** Null when the file does not mention the field, which then keeps its value. */
  subscription: Outcome | null;
  defaultKeyRateLimitPerMinute: Outcome | null;
  keyPrefix: Outcome | null;
  customerPlans: AppliedCustomerPlans | null;
  policies: ReplacePoliciesResult | null;
}
