'use client';

import { absoluteTime, LOCAL_TIME_BOUNDS, relativeTime } from '#lib/time.ts';
import { InputField } from './ui/field.tsx';
import { useClock } from './ui/time.tsx';

export interface DateTimeFieldProps {
  name: string;
  error: string | undefined;
  /** As `datetime-local` holds it, in the viewer's time zone. */
  value: string;
  onChange: (value: string) => void;
}

export const DateTimeField = ({ onChange, ...field }: DateTimeFieldProps) => (
  <InputField
    {...field}
    label="Date and time"
    type="datetime-local"
    {...LOCAL_TIME_BOUNDS}
    onChange={(event) => onChange(event.target.value)}
  />
);

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
