'use client';

import { useRouter } from 'next/navigation';
import { ActionForm } from '#components/action-form.tsx';
import { ChoiceField, FormButtons, TextField } from '#components/form-fields.tsx';
import { CODE_INPUT } from '#components/ui/input.tsx';
import { createNewCustomer } from '../actions.ts';
import { BillingDayField, planOptions } from './customer-fields.tsx';

export interface CreateCustomerProps {
  /** The address of the list. */
  list: string;
  /** The names of the project's plans. */
  plans: readonly string[];
}

export function CreateCustomer({ list, plans }: CreateCustomerProps) {
  const router = useRouter();
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
      <ChoiceField
        name="plan"
        label="Plan"
        hint={
          plans.length === 0 ? 'The project has no plans yet; the owner adds them under Plans.' : ''
        }
        options={planOptions(plans)}
      />
      <BillingDayField initial={1} />
      <FormButtons label="Create customer" cancelHref={list} />
    </ActionForm>
  );
}
