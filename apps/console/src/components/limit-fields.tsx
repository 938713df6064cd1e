'use client';

import { type KeyLimits, type LimitName, listLimits } from '@ceiba/domain/limits';
import { limitLabel } from '../lib/format.ts';
import { NumberField } from './form-fields.tsx';

export interface LimitFieldsProps {
  initial?: KeyLimits | undefined;
  /** What applies where a field is empty. */
  hintOf: (name: LimitName) => string;
}

/** The limits of a key, a customer or a plan, all optional. */
export const LimitFields = ({ initial, hintOf }: LimitFieldsProps) => (
  <div className="grid gap-4 sm:grid-cols-2">
    {listLimits((name) => (
      <NumberField
        key={name}
        name={name}
        label={limitLabel(name)}
        optional
        hint={hintOf(name)}
        initial={initial?.[name]}
      />
    ))}
  </div>
);
