'use client';

import { BILLING_DAY_MAX, SUBSCRIPTION_STATUSES } from '@ceiba/contract/sets';
import type { Customer } from '@ceiba/schema';
import { useState } from 'react';
import { useActionForm } from '#components/action-form.tsx';
import { EndField } from '#components/end-field.tsx';
import { ChoiceField, NumberField } from '#components/form-fields.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { legible } from '#lib/text.ts';

export const planOptions = (plans: readonly string[]) => [
  ['', 'No plan'] as const,
  ...plans.map((name) => [name, legible(name)] as const),
];

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
  plans: readonly string[];
  initial: Pick<Customer, 'plan' | 'subscriptionStatus'> & {
    /** ISO 8601; null if it has no end. */
    currentPeriodEnd: string | null;
  };
}

/** The plan of a customer; with a plan also its status and its end. */
export function PlanFields({ plans, initial }: PlanFieldsProps) {
  const { errorOf } = useActionForm();
  const [plan, setPlan] = useState(initial.plan?.name ?? '');
  return (
    <>
      <SelectField
        name="plan"
        label="Plan"
        error={errorOf('plan')}
        value={plan}
        onChange={(event) => setPlan(event.target.value)}
        options={planOptions(plans)}
      />
      {plan !== '' && (
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
