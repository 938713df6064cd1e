'use client';

import { withoutSecrets } from '../../lib/text.ts';
import type { ControlProps } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';

export interface AuditSearchProps {
  control: ControlProps;
  text: string;
}

/** What the log is searched for. It goes into the address as it stands here. */
export function AuditSearch({ control, text }: AuditSearchProps) {
  return (
    <Input
      {...control}
      ref={cut}
      type="search"
      defaultValue={text}
      onChange={(event) => cut(event.target)}
      data-shortcut="search"
      autoComplete="off"
    />
  );
}

/** Also what was typed before the scripts were there. */
function cut(field: HTMLInputElement | null): void {
  if (field === null) return;
  const text = withoutSecrets(field.value);
  if (text !== field.value) field.value = text;
}
