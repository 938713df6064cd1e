'use client';

import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input, Select } from '#components/ui/input.tsx';
import { useClock } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { absoluteTime, instantOf, LOCAL_TIME_BOUNDS, localText, relativeTime } from '#lib/time.ts';
import { changePeriodEnd } from '../actions.ts';

export interface PeriodEndProps {
  projectId: string;
  /** ISO 8601; null where the subscription has no end. */
  currentPeriodEnd: string | null;
}

/** None, or an instant in the viewer's own zone. */
export function PeriodEnd({ projectId, currentPeriodEnd }: PeriodEndProps) {
  const { now, timeZone } = useClock();
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
          title: 'The period end is saved',
          description: 'It holds from the next decision on.',
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
              <Field name="endsOn" label="Date and time" error={errorOf('currentPeriodEnd')}>
                {(control) => (
                  <Input
                    {...control}
                    type="datetime-local"
                    {...LOCAL_TIME_BOUNDS}
                    value={typed}
                    onChange={(event) => setTyped(event.target.value)}
                  />
                )}
              </Field>
            )}
          </div>
          <p aria-live="polite" className="text-small text-muted empty:hidden">
            {instant !== null && instant <= now && (
              <strong className="font-medium text-limit-text">
                This is past: every call is denied from the next decision on.
              </strong>
            )}
            {instant !== null &&
              instant > now &&
              `Admits until ${absoluteTime(instant, timeZone)} (${timeZone}), ${relativeTime(instant, now)}.`}
          </p>
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
