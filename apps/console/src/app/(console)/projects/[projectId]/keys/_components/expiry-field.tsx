'use client';

import { useState } from 'react';
import type { ActionFormParts } from '#components/action-form.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input, Select } from '#components/ui/input.tsx';
import { useClock } from '#components/ui/time.tsx';
import { absoluteTime, instantOf, LOCAL_TIME_BOUNDS, localText, relativeTime } from '#lib/time.ts';

const DAY_MS = 86_400_000;
const CHOICES = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a date' },
] as const;

export interface ExpiryFieldProps {
  parts: Pick<ActionFormParts<unknown>, 'errorOf'>;
  /** When it expires now, ISO 8601; null when it never does. */
  initial?: string | null;
}

/** Never, after some days, or at an instant in the viewer's own zone. */
export function ExpiryField({ parts: { errorOf }, initial = null }: ExpiryFieldProps) {
  const { now, timeZone } = useClock();
  const [choice, setChoice] = useState(initial === null ? 'never' : 'date');
  const [typed, setTyped] = useState(() => (initial === null ? '' : localText(new Date(initial))));
  const [chosenAt, setChosenAt] = useState(0);
  const instant = chosenInstant(choice, typed, chosenAt);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <input type="hidden" name="expires" value={choice === 'never' ? 'never' : 'at'} />
      <input type="hidden" name="expiresAt" value={instant?.toISOString() ?? ''} />
      <Field name="expiryChoice" label="Expires" error={errorOf('expires')}>
        {(control) => (
          <Select
            {...control}
            value={choice}
            onChange={(event) => {
              setChoice(event.target.value);
              setChosenAt(Date.now());
            }}
          >
            {CHOICES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {choice === 'date' && (
        <Field name="expiresOn" label="Date and time" error={errorOf('expiresAt')}>
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
      <p aria-live="polite" className="text-small text-muted empty:hidden sm:col-span-2">
        {instant && instant <= now && (
          <strong className="font-medium text-limit-text">
            This is past: calls with the key are denied from the next request on.
          </strong>
        )}
        {instant &&
          instant > now &&
          `Admitted until ${absoluteTime(instant, timeZone)} (${timeZone}), ${relativeTime(instant, now)}. From that instant on every call with it is denied.`}
      </p>
    </div>
  );
}

function chosenInstant(choice: string, typed: string, chosenAt: number): Date | null {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(chosenAt + Number(choice) * DAY_MS);
  return instantOf(typed);
}
