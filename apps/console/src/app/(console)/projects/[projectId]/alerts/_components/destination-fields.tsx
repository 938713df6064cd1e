'use client';

import { useActionForm } from '#components/action-form.tsx';
import { TextField } from '#components/form-fields.tsx';
import { Checkbox } from '#components/ui/input.tsx';

export interface AlertChoice {
  type: string;
  /** When it is sent. */
  words: string;
  chosen: boolean;
}

export interface DestinationFieldsProps {
  kind: 'webhook' | 'mail';
  choices: readonly AlertChoice[];
  address?: string;
  description?: string;
}

/** The fields of a destination, for a new one and for a change. */
export function DestinationFields(props: DestinationFieldsProps) {
  const { kind, choices, address, description } = props;
  const { state, errorOf, typed } = useActionForm();
  const error = errorOf('eventTypes');
  const wasSent = state.kind === 'refused';
  return (
    <>
      <TextField
        name="address"
        type={kind === 'webhook' ? 'url' : 'email'}
        label={kind === 'webhook' ? 'URL' : 'E-mail address'}
        placeholder={kind === 'webhook' ? 'https://example.com/webhooks' : 'ops@example.com'}
        initial={address}
      />
      <TextField
        name="description"
        label="Description"
        optional
        maxLength={100}
        initial={description}
      />
      <fieldset
        className="grid gap-x-8 gap-y-2 lg:min-w-[44rem] lg:grid-cols-2"
        aria-invalid={error ? true : undefined}
      >
        <legend className="mb-2 font-medium">Alerts</legend>
        {choices.map(({ type, words, chosen }) => (
          <Checkbox
            key={type}
            name={type}
            value="yes"
            defaultChecked={wasSent ? typed(type) === 'yes' : chosen}
            label={words}
            hint={<code>{type}</code>}
          />
        ))}
        <p aria-live="polite" className="col-span-full text-small text-deny-text empty:hidden">
          {error && 'Choose at least one alert.'}
        </p>
      </fieldset>
    </>
  );
}
