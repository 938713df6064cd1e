'use client';

import type { ComponentProps } from 'react';
import { withoutSecrets } from '../../lib/text.ts';
import { Input } from './input.tsx';

/** A field of a filter. Its text becomes part of the URL, so credentials in it are cut. */
export function SecretlessInput(props: ComponentProps<typeof Input>) {
  return (
    <Input
      {...props}
      ref={cutSecrets}
      onChange={(event) => cutSecrets(event.target)}
      autoComplete="off"
    />
  );
}

/** As a ref it also cuts what was typed before hydration. */
function cutSecrets(field: HTMLInputElement | null): void {
  if (field === null) return;
  const text = withoutSecrets(field.value);
  if (text !== field.value) field.value = text;
}
