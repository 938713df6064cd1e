import type { CustomerName, CustomerPlanState } from '@ceiba/schema';
import type { Choice } from '#components/combobox.tsx';
import { legible } from '#lib/text.ts';
import { planDetail } from '../plan-detail.ts';

/** A customer by its external ID, which says also of a new one who it is. */
export const choiceOf = ({ externalId, name }: CustomerName): Choice => ({
  id: externalId,
  label: name === '' ? legible(externalId) : `${legible(name)} (${legible(externalId)})`,
});

export const newCustomerChoice = (externalId: string): Choice => ({
  id: externalId,
  label: `New customer “${legible(externalId)}”`,
});

/** A plan for customers, by its name. */
export function customerPlanChoice(plan: CustomerPlanState): Choice {
  const detail = planDetail(plan);
  return { id: plan.name, label: legible(plan.name), ...(detail && { detail }) };
}

/** A form sends nothing for it, which means no plan. */
export const NO_PLAN: Choice = { id: '', label: 'No plan' };
