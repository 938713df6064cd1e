'use client';

import { useState } from 'react';
import { DateTimeField, EndEffect } from '#components/date-time-field.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { instantOf, localText } from '#lib/time.ts';
import { changePeriodEnd } from '../actions.ts';

export interface PeriodEndProps {
  projectId: string;
  /** ISO 8601; null if the subscription has no end. */
  currentPeriodEnd: string | null;
}

/** No end, or a time in the viewer's time zone. */
export function PeriodEnd({ projectId, currentPeriodEnd }: PeriodEndProps) {
  const [ends, setEnds] = useState(currentPeriodEnd === null ? 'never' : 'at');
  const [typed, setTyped] = useState(() =>
    currentPeriodEnd === null ? '' : localText(new Date(currentPeriodEnd)),
  );
  const instant = ends === 'at' ? instantOf(typed) : null;
  return (
    <SubmitForm
      action={changePeriodEnd}
      hidden={{ projectId, currentPeriodEnd: instant?.toISOString() ?? '' }}
      done={{ title: 'Period end saved', description: 'It applies from the next decision on.' }}
      submit="Save period end"
      className="grid max-w-2xl gap-4"
    >
      {({ errorOf }) => (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            name="ends"
            label="Ends"
            error={errorOf('ends')}
            value={ends}
            onChange={(event) => setEnds(event.target.value)}
            options={[
              ['never', 'Never'],
              ['at', 'On a date'],
            ]}
          />
          {ends === 'at' && (
            <DateTimeField
              name="endsOn"
              error={errorOf('currentPeriodEnd')}
              value={typed}
              onChange={setTyped}
            />
          )}
          <EndEffect end={instant} calls="All calls" />
        </div>
      )}
    </SubmitForm>
  );
}
