'use client';

import { useState } from 'react';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { Input } from './input.tsx';

export interface ConfirmNameProps {
  /** What has to be typed, letter for letter. */
  expected: string;
  /** The field's name, so that the action can check it again. */
  name: string;
  /** What the button does: "Delete project". */
  actionLabel: string;
  pending: boolean;
  error?: string | undefined;
}

/** The last question before something is gone for good: it is answered by typing its name. */
export function ConfirmName({ expected, name, actionLabel, pending, error }: ConfirmNameProps) {
  const [typed, setTyped] = useState('');
  const matches = typed.trim() === expected;
  return (
    <div className="grid gap-6">
      <Field
        name={name}
        error={error}
        label={
          <span className="font-normal">
            {/* A box of its own and not a <Name>, so that what is copied from here is the name. */}
            Type <strong className="inline-block font-semibold break-all">{expected}</strong> to
            confirm
          </span>
        }
      >
        {(control) => (
          <Input
            {...control}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <div className="flex justify-end">
        <Button type="submit" variant="danger" disabled={!matches} pending={pending}>
          {actionLabel}
        </Button>
      </div>
    </div>
  );
}
