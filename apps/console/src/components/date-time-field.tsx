'use client';

import { absoluteTime, LOCAL_TIME_BOUNDS, relativeTime } from '#lib/time.ts';
import { Field } from './ui/field.tsx';
import { Input } from './ui/input.tsx';
import { useClock } from './ui/time.tsx';

export interface DateTimeFieldProps {
  name: string;
  error: string | undefined;
  /** As `datetime-local` holds it, in the viewer's time zone. */
  value: string;
  onChange: (value: string) => void;
}

export function DateTimeField({ name, error, value, onChange }: DateTimeFieldProps) {
  return (
    <Field name={name} label="Date and time" error={error}>
      {(control) => (
        <Input
          {...control}
          type="datetime-local"
          {...LOCAL_TIME_BOUNDS}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface EndEffectProps {
  /** When calls end; null shows nothing. */
  end: Date | null;
  /** Which calls it ends: "Calls with this key". */
  calls: string;
}

/** Says what the chosen end does, in the viewer's time zone. */
export function EndEffect({ end, calls }: EndEffectProps) {
  const { now, timeZone } = useClock();
  return (
    <p aria-live="polite" className="text-small text-muted empty:hidden sm:col-span-2">
      {end !== null && end <= now && (
        <strong className="font-medium text-limit-text">
          This time is in the past. {calls} are denied as soon as you save.
        </strong>
      )}
      {end !== null &&
        end > now &&
        `${calls} are allowed until ${absoluteTime(end, timeZone)} (${timeZone}), ${relativeTime(end, now)}.`}
    </p>
  );
}
