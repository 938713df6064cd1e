'use client';

import { useEffect, useState } from 'react';
import { ChoiceField } from '#components/form-fields.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { ownTimeZone } from '#lib/time.ts';
import { changeTimeZone } from '../actions.ts';

/** Chooses the zone of the account from those that the browser knows. */
export function ChooseTimeZone({ chosen }: { chosen: string | null }) {
  const [own, setOwn] = useState('');
  useEffect(() => setOwn(ownTimeZone()), []);
  const known = own === '' ? [] : ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const zones = new Set(chosen === null ? known : [chosen, ...known]);
  return (
    <SubmitForm
      action={changeTimeZone}
      submit="Save time zone"
      done={{ title: 'Time zone saved' }}
      isInline
    >
      <ChoiceField
        name="timeZone"
        label="Time zone"
        initial={chosen ?? ''}
        options={[
          ['', `As my browser${own && `, ${own}`}`],
          ...[...zones].sort().map((zone) => [zone, zone] as const),
        ]}
      />
    </SubmitForm>
  );
}
