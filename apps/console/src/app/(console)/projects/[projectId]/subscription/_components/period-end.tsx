'use client';

import { EndField } from '#components/end-field.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { changePeriodEnd } from '../actions.ts';

export interface PeriodEndProps {
  /** ISO 8601; null if the subscription has no end. */
  currentPeriodEnd: string | null;
}

export const PeriodEnd = ({ currentPeriodEnd }: PeriodEndProps) => (
  <SubmitForm
    action={changePeriodEnd}
    done={{ title: 'Period end saved', description: 'It applies from the next decision on.' }}
    submit="Save period end"
    className="grid max-w-2xl gap-4"
  >
    <EndField
      label="Ends"
      names={{ ends: 'ends', instant: 'currentPeriodEnd' }}
      initial={currentPeriodEnd}
      calls="All calls"
    />
  </SubmitForm>
);
