'use client';

import { useState } from 'react';
import { instantInField, LOCAL_TIME_BOUNDS, localText } from '#lib/instant.ts';
import { minuteTime, relativeTime } from '#lib/time.ts';
import { useActionForm } from './action-form.tsx';
import { InputField, SelectField } from './ui/field.tsx';
import { useClock } from './ui/time.tsx';

const DAY_MS = 86_400_000;
const NEVER = ['never', 'Never'] as const;
const AT = ['at', 'On a date'] as const;

export interface EndFieldProps extends Pick<EndEffectProps, 'calls'> {
  label: string;
  /** The fields of the action: whether it ends, `never` or `at`, and when. */
  names: { ends: string; instant: string };
  /** The current end, ISO 8601; null if there is none. */
  initial: string | null;
  /** Other choices, each a number of days from now. */
  days?: readonly (readonly [days: string, text: string])[];
}

/** Never, after some days, or at a time in the viewer's time zone. */
export function EndField(props: EndFieldProps) {
  const { timeZone } = useClock();
  return <ZonedEndField key={timeZone} timeZone={timeZone} {...props} />;
}

function ZonedEndField({
  label,
  names,
  initial,
  days = [],
  calls,
  timeZone,
}: EndFieldProps & { timeZone: string }) {
  const { errorOf } = useActionForm();
  const current = initial === null ? null : new Date(initial);
  const [choice, setChoice] = useState(current === null ? 'never' : 'at');
  const [typed, setTyped] = useState(() => (current === null ? '' : localText(current, timeZone)));
  const [chosenAt, setChosenAt] = useState(0);
  const instant =
    choice === 'at' ? instantInField(typed, current, timeZone) : daysAfter(choice, chosenAt);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {days.length > 0 && (
        <input type="hidden" name={names.ends} value={choice === 'never' ? 'never' : 'at'} />
      )}
      <input type="hidden" name={names.instant} value={instant?.toISOString() ?? typed} />
      <SelectField
        // Without other choices it is the field itself, which works without scripts.
        name={days.length > 0 ? `${names.ends}Choice` : names.ends}
        data-field={names.ends}
        label={label}
        error={errorOf(names.ends)}
        value={choice}
        onChange={(event) => {
          setChoice(event.target.value);
          setChosenAt(Date.now());
        }}
        options={[NEVER, ...days, AT]}
      />
      {choice === 'at' && (
        <InputField
          name={`${names.ends}On`}
          data-field={names.instant}
          label={`Date and time, ${timeZone}`}
          type="datetime-local"
          {...LOCAL_TIME_BOUNDS}
          error={errorOf(names.instant)}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <EndEffect end={instant} calls={calls} />
    </div>
  );
}

const daysAfter = (choice: string, chosenAt: number): Date | null =>
  choice === 'never' ? null : new Date(chosenAt + Number(choice) * DAY_MS);

interface EndEffectProps {
  /** When calls end; null shows nothing. */
  end: Date | null;
  /** Which calls it ends: "Calls with this key". */
  calls: string;
}

/** Says what the chosen end does, in the viewer's time zone. */
function EndEffect({ end, calls }: EndEffectProps) {
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
        `${calls} are allowed until ${minuteTime(end, timeZone)}, ${relativeTime(end, now)}.`}
    </p>
  );
}
