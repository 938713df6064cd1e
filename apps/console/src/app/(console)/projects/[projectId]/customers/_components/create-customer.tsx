'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import type { Choice } from '#components/combobox.tsx';
import { FormButtons, TextField } from '#components/form-fields.tsx';
import { CODE_INPUT } from '#components/ui/input.tsx';
import { createNewCustomer } from '../actions.ts';
import { NO_PLAN } from '../customer-choice.ts';
import { BillingDayField, CustomerPlanField } from './customer-fields.tsx';

export interface CreateCustomerProps {
  projectId: string;
  /** The address of the list. */
  list: string;
  /** The plans that are offered before anything is typed. */
  plans: readonly Choice[];
}

export function CreateCustomer({ projectId, list, plans }: CreateCustomerProps) {
  const router = useRouter();
  const [plan, setPlan] = useState(NO_PLAN);
  return (
    <ActionForm
      action={createNewCustomer}
      done={{ title: 'Customer created' }}
      onDone={({ customerId }) => router.push(`${list}/${customerId}`)}
      className="card grid gap-6"
    >
      <TextField
        name="externalId"
        label="External ID"
        hint="Your own ID of the customer, such as that of your billing system. Your API sees it with every allowed call."
        autoFocus
        {...CODE_INPUT}
      />
      <TextField name="name" label="Name" optional hint="Only this console and the API show it." />
      <CustomerPlanField projectId={projectId} plans={plans} value={plan} onChange={setPlan} />
      <BillingDayField initial={1} />
      <FormButtons label="Create customer" cancelHref={list} />
    </ActionForm>
  );
}
