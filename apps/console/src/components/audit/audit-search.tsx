'use client';

import { withoutSecrets } from '../../lib/text.ts';
import type { ControlProps } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';

export interface AuditSearchProps {
  control: ControlProps;
  text: string;
}

/** The text to search for. It becomes part of the URL, so credentials in it are cut. */
export function AuditSearch({ control, text }: AuditSearchProps) {
  return (
    <Input
      {...control}
      ref={cutSecrets}
      type="search"
      defaultValue={text}
      onChange={(event) => cutSecrets(event.target)}
      data-shortcut="search"
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
