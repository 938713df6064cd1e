'use client';

import { TextAreaField } from './form-fields.tsx';

/** What an owner keeps with a key or a customer, as JSON. */
export const MetadataField = ({ initial }: { initial: Record<string, unknown> }) => (
  <TextAreaField
    name="metadata"
    label="Metadata"
    optional
    hint="A JSON object of at most 4 KiB, for your own systems. No decision returns it."
    initial={Object.keys(initial).length === 0 ? '' : jsonOf(initial)}
    autoComplete="off"
    spellCheck={false}
  />
);

const jsonOf = (metadata: Record<string, unknown>) => JSON.stringify(metadata, null, 2);
