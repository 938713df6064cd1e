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

export interface AlertGroup {
  name: string;
  choices: readonly AlertChoice[];
}

export interface DestinationFieldsProps {
  kind: 'webhook' | 'mail';
  groups: readonly AlertGroup[];
  address?: string;
  description?: string;
}

/** The fields of a destination, for a new one and for a change. */
export function DestinationFields(props: DestinationFieldsProps) {
  const { kind, groups, address, description } = props;
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
      <fieldset className="lg:min-w-[44rem]" aria-invalid={error ? true : undefined}>
        <legend className="mb-2 font-medium">Alerts</legend>
        <div className="gap-x-8 lg:columns-2">
          {groups.map(({ name, choices }) => (
            <fieldset key={name} className="mb-4 grid break-inside-avoid gap-y-2">
              <legend className="mb-2 text-small text-muted">{name}</legend>
              {choices.map(({ type, words, chosen }) => (
                <Checkbox
                  key={type}
                  name={type}
                  data-field="eventTypes"
                  value="yes"
                  defaultChecked={wasSent ? typed(type) === 'yes' : chosen}
                  label={words}
                  hint={<code>{type}</code>}
                />
              ))}
            </fieldset>
          ))}
        </div>
        <p aria-live="polite" className="text-small text-deny-text empty:hidden">
          {error && 'Choose at least one alert.'}
        </p>
      </fieldset>
    </>
  );
}
