'use client';

import { useState } from 'react';
import type { ActionFormParts } from '#components/action-form.tsx';
import { DateTimeField, EndEffect } from '#components/date-time-field.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { instantOf, localText } from '#lib/time.ts';

const DAY_MS = 86_400_000;
const CHOICES = [
  ['never', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['date', 'On a date'],
] as const;

export interface ExpiryFieldProps {
  parts: Pick<ActionFormParts<unknown>, 'errorOf'>;
  /** The current expiry, ISO 8601; null if the key never expires. */
  initial?: string | null;
  /** Whether the expiry is that of several keys. */
  isBulk?: boolean;
}

/** Never, after some days, or at a time in the viewer's time zone. */
export function ExpiryField({
  parts: { errorOf },
  initial = null,
  isBulk = false,
}: ExpiryFieldProps) {
  const [choice, setChoice] = useState(initial === null ? 'never' : 'date');
  const [typed, setTyped] = useState(() => (initial === null ? '' : localText(new Date(initial))));
  const [chosenAt, setChosenAt] = useState(0);
  const instant = chosenInstant(choice, typed, chosenAt);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <input type="hidden" name="expires" value={choice === 'never' ? 'never' : 'at'} />
      <input type="hidden" name="expiresAt" value={instant?.toISOString() ?? ''} />
      <SelectField
        name="expiryChoice"
        label="Expires"
        error={errorOf('expires')}
        value={choice}
        onChange={(event) => {
          setChoice(event.target.value);
          setChosenAt(Date.now());
        }}
        options={CHOICES}
      />
      {choice === 'date' && (
        <DateTimeField
          name="expiresOn"
          error={errorOf('expiresAt')}
          value={typed}
          onChange={setTyped}
        />
      )}
      <EndEffect end={instant} calls={isBulk ? 'Calls with these keys' : 'Calls with this key'} />
    </div>
  );
}

function chosenInstant(choice: string, typed: string, chosenAt: number): Date | null {
  if (choice === 'never') return null;
  if (choice !== 'date') return new Date(chosenAt + Number(choice) * DAY_MS);
  return instantOf(typed);
}
