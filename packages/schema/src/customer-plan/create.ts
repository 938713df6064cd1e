import { NO_LIMITS } from '@ceiba/domain';
import { givenIn, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { changingProject } from '../project/change.ts';
import { customerPlans } from '../tables.ts';
import { CUSTOMER_PLAN_FIELDS, type CustomerPlan, type CustomerPlanFields } from './list.ts';

/** A new customer plan: what is absent, it does not limit. */
export type NewCustomerPlan = Pick<CustomerPlan, 'projectId' | 'name'> &
  Omit<CustomerPlanFields, 'name'>;

export type CreateCustomerPlanResult =
  | { kind: 'created'; plan: CustomerPlan }
  | { kind: 'name_taken' | 'not_found' };

const NOTHING = { activeKeyCap: null, ...NO_LIMITS, scopes: null };

/** Creates a plan for a project's customers. Names are unique in a project. */
export async function createCustomerPlan(
  ctx: VerbContext,
  input: NewCustomerPlan,
): Promise<CreateCustomerPlanResult> {
  const { projectId, ...given } = checked(input, CUSTOMER_PLAN_FIELDS);
  const state = { ...NOTHING, name: given.name, ...givenIn(given) };
  return changingProject(ctx, projectId, async (tx, _, audit) => {
    const [created] = await tx
      .insert(customerPlans)
      .values({ projectId, ...state })
      .onConflictDoNothing({ target: [customerPlans.projectId, customerPlans.name] })
      .returning({ planId: customerPlans.id });
    if (created === undefined) return { kind: 'name_taken' };
    const { planId } = created;
    await audit('customer_plan.create', { id: planId, label: state.name }, { after: state });
    return { kind: 'created', plan: { planId, projectId, ...state } };
  });
}
