import type { CustomerPlanState } from '@ceiba/schema';
import type { Choice } from '#components/combobox.tsx';
import { legible } from '#lib/text.ts';
import { planDetail } from '../plan-detail.ts';

interface ChosenCustomer {
  customerId: string;
  externalId: string;
  name?: string;
}

/** A customer that there is, by its own ID: if it is renamed before the form is sent, it is still the one. */
export const choiceOf = ({ customerId, externalId, name = '' }: ChosenCustomer): Choice => ({
  field: 'customerId',
  id: customerId,
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
