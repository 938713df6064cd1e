'use client';

import { type Choice, Combobox, type ComboboxProps } from '#components/combobox.tsx';
import { findKeys } from '../actions.ts';

/** Chooses a key. */
export const KeyCombobox = (
  props: Pick<ComboboxProps<Choice>, 'projectId' | 'choices' | 'value' | 'onChange' | 'error'>,
) => (
  <Combobox
    {...props}
    name="apiKeyId"
    label="Key"
    hint="Type a part of its name, or the start of the key."
    search={findKeys}
    listName="Keys"
    nothing="No key has this in its name, note or prefix."
  />
);
