'use client';

import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { DateTimeField, EndEffect } from '#components/date-time-field.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Select } from '#components/ui/input.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { instantOf, localText } from '#lib/time.ts';
import { changePeriodEnd } from '../actions.ts';

export interface PeriodEndProps {
  projectId: string;
  /** ISO 8601; null if the subscription has no end. */
  currentPeriodEnd: string | null;
}

/** No end, or a time in the viewer's time zone. */
export function PeriodEnd({ projectId, currentPeriodEnd }: PeriodEndProps) {
  const toast = useToast();
  const [ends, setEnds] = useState(currentPeriodEnd === null ? 'never' : 'at');
  const [typed, setTyped] = useState(() =>
    currentPeriodEnd === null ? '' : localText(new Date(currentPeriodEnd)),
  );
  const instant = ends === 'at' ? instantOf(typed) : null;
  return (
    <ActionForm
      action={changePeriodEnd}
      hidden={{ projectId, currentPeriodEnd: instant?.toISOString() ?? '' }}
      onDone={() =>
        toast({
          title: 'Period end saved',
          description: 'It applies from the next decision on.',
        })
      }
      className="grid max-w-2xl gap-4"
    >
      {({ pending, errorOf }) => (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field name="ends" label="Ends" error={errorOf('ends')}>
              {(control) => (
                <Select {...control} value={ends} onChange={(event) => setEnds(event.target.value)}>
                  <option value="never">Never</option>
                  <option value="at">On a date</option>
                </Select>
              )}
            </Field>
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
          <div>
            <Button type="submit" pending={pending}>
              Save period end
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
