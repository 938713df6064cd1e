'use client';

import type { ReactNode } from 'react';
import { useState } from 'react';
import type { FormAction } from '../lib/action-state.ts';
import { legible } from '../lib/text.ts';
import { useActionForm } from './action-form.tsx';
import { type Choice, Combobox } from './combobox.tsx';

export interface CustomerFieldProps {
  projectId: string;
  initial: Choice | null;
  onChange?: (customer: Choice | null) => void;
  /** Finds customers. */
  search: FormAction<Choice[]>;
  hint: ReactNode;
}

/** Chooses a customer, or names one by its external ID, which may be new; empty for none. */
export function CustomerField({ initial, onChange, ...field }: CustomerFieldProps) {
  const { errorOf } = useActionForm();
  const [customer, setCustomer] = useState(initial);
  return (
    <Combobox
      {...field}
      name="externalCustomerId"
      label="Customer"
      optional
      error={errorOf('externalCustomerId')}
      choices={[]}
      value={customer}
      onChange={(chosen) => {
        setCustomer(chosen);
        onChange?.(chosen);
      }}
      // A bare text could be taken for the name of a customer.
      ofTyped={(text) =>
        text === '' ? null : { id: text, label: `External ID “${legible(text)}”` }
      }
      listName="Customers"
      nothing="No customer has this in its external ID or name."
    />
  );
}
