'use client';

import { clsx } from 'clsx';
import { useState } from 'react';
import {
  instantInField,
  LOCAL_TIME_BOUNDS,
  localText,
  minuteText,
  parseMinute,
} from '#lib/instant.ts';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';
import { useClock } from './ui/time.tsx';

export interface InstantFieldProps {
  name: string;
  label: string;
  /** The minute as the address holds it; empty without one. */
  value: string;
  error?: string | undefined;
  className?: string;
}

/** A point in time of a filter: typed in the viewer's time zone, sent as an instant. */
export function InstantField(props: InstantFieldProps) {
  const { timeZone } = useClock();
  return <ZonedField key={timeZone} timeZone={timeZone} {...props} />;
}

function ZonedField({
  name,
  label,
  value,
  timeZone,
  className,
  ...field
}: InstantFieldProps & { timeZone: string }) {
  const textOf = (text: string) => {
    const instant = parseMinute(text);
    return instant ? localText(instant, timeZone) : '';
  };
  const [shown, setShown] = useState(value);
  const [typed, setTyped] = useState(() => textOf(value));
  const instant = instantInField(typed, parseMinute(shown), timeZone);
  const sent = instant ? minuteText(instant) : '';
  if (value !== shown) {
    setShown(value);
    // What was typed is kept if it is what the address holds now.
    if (value !== sent) setTyped(textOf(value));
  }
  return (
    <Field
      name={name}
      label={`${label}, ${timeZone}`}
      // Without scripts nothing turns the local time into an instant.
      className={clsx('[@media(scripting:none)]:hidden', className)}
      {...field}
    >
      {({ name: _, ...control }) => (
        <>
          <input type="hidden" name={name} value={sent} />
          <Input
            {...control}
            type="datetime-local"
            {...LOCAL_TIME_BOUNDS}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </>
      )}
    </Field>
  );
}
