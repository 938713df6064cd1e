'use client';

import { useState } from 'react';
import { Button } from './button.tsx';
import { DialogClose, DialogFooter } from './dialog.tsx';
import { Field } from './field.tsx';
import { Input } from './input.tsx';

export interface ConfirmNameProps {
  /** The exact text to type. */
  expected: string;
  /** The name of the field, which the action checks again. */
  name: string;
  /** What the button does: "Delete project". */
  actionLabel: string;
  pending: boolean;
  error?: string | undefined;
}

/** Confirms a permanent deletion by typing the name, within a dialog. */
export function ConfirmName({ expected, name, actionLabel, pending, error }: ConfirmNameProps) {
  const [typed, setTyped] = useState('');
  const matches = typed.trim() === expected;
  return (
    <>
      <Field
        name={name}
        error={error}
        label={
          <span className="font-normal">
            {/* Not a <Name>: copied from here, the text must be the exact name. */}
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
      <DialogFooter>
        <DialogClose>Cancel</DialogClose>
        <Button type="submit" variant="danger" disabled={!matches} pending={pending}>
          {actionLabel}
        </Button>
      </DialogFooter>
    </>
  );
}
