'use client';

import { BILLING_DAY_MAX, SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import type { Customer } from '@ceiba/schema';
import { useState } from 'react';
import { useActionForm } from '#components/action-form.tsx';
import { type Choice, Combobox } from '#components/combobox.tsx';
import { EndField } from '#components/end-field.tsx';
import { ChoiceField, NumberField } from '#components/form-fields.tsx';
import { legible } from '#lib/text.ts';
import { findCustomerPlans } from '../actions.ts';
import { NO_PLAN } from '../customer-choice.ts';

export interface CustomerPlanFieldProps {
  projectId: string;
  /** The plans that are offered before anything is typed. */
  plans: readonly Choice[];
  value: Choice;
  onChange: (plan: Choice) => void;
}

/** Chooses one of the project's plans for customers by its name, or none. */
export function CustomerPlanField({ plans, value, onChange, ...field }: CustomerPlanFieldProps) {
  const { errorOf } = useActionForm();
  return (
    <Combobox
      {...field}
      name="plan"
      label="Plan"
      hint={
        plans.length === 0
          ? 'The project has no plans yet; the owner adds them under Plans.'
          : 'Choose one, or type a part of its name.'
      }
      error={errorOf('plan')}
      search={findCustomerPlans}
      choices={[NO_PLAN, ...plans]}
      value={value}
      onChange={(plan) => onChange(plan ?? NO_PLAN)}
      ofTyped={(text) => (text === '' ? NO_PLAN : value)}
      listName="Plans"
      nothing="No plan has this in its name."
    />
  );
}

/** The day on which a month of the customer begins. */
export const BillingDayField = ({ initial }: { initial: number }) => (
  <NumberField
    name="billingDay"
    label="Billing day"
    hint={`The day of the month, 1 to ${BILLING_DAY_MAX}, on which the customer’s month begins at 00:00 UTC.`}
    initial={initial}
  />
);

export interface PlanFieldsProps {
  projectId: string;
  plans: readonly Choice[];
  initial: Pick<Customer, 'plan' | 'subscriptionStatus'> & {
    /** ISO 8601; null if it has no end. */
    currentPeriodEnd: string | null;
  };
}

/** The plan of a customer; with a plan also its status and its end. */
export function PlanFields({ projectId, plans, initial }: PlanFieldsProps) {
  const [plan, setPlan] = useState(
    initial.plan === null ? NO_PLAN : { id: initial.plan.name, label: legible(initial.plan.name) },
  );
  return (
    <>
      <CustomerPlanField projectId={projectId} plans={plans} value={plan} onChange={setPlan} />
      {plan.id !== '' && (
        <>
          <ChoiceField
            name="subscriptionStatus"
            label="Status"
            hint="Active and trial allow calls; past due and canceled deny them."
            initial={initial.subscriptionStatus ?? 'active'}
            options={SUBSCRIPTION_STATUSES.map((status) => [status, STATUS_NAMES[status]] as const)}
          />
          <EndField
            label="Ends"
            names={{ ends: 'ends', instant: 'currentPeriodEnd' }}
            initial={initial.currentPeriodEnd}
            calls="Calls of this customer"
          />
        </>
      )}
    </>
  );
}

const STATUS_NAMES = {
  active: 'Active',
  trialing: 'Trial',
  past_due: 'Past due',
  canceled: 'Canceled',
} as const;
