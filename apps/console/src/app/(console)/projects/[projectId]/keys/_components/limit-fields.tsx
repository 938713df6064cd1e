'use client';

import { type KeyLimits, LIMITS, listLimits } from '@ceiba/domain/limits';
import { NumberField } from '#components/form-fields.tsx';
import { limitLabel } from '#lib/format.ts';

export interface LimitFieldsProps {
  initial?: KeyLimits;
  /** The project's default rate for its keys; null if only the plan limits them. */
  defaultRate: number | null;
}

/** A key's own limits, all optional. */
export function LimitFields({ initial, defaultRate }: LimitFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {listLimits((name) => (
        <NumberField
          key={name}
          name={name}
          label={limitLabel(name)}
          optional
          hint={
            defaultRate !== null && LIMITS[name].window === 'minute'
              ? `If empty, the project’s default applies: ${defaultRate} per minute.`
              : 'If empty, only the plan’s limit applies. 0 allows no requests.'
          }
          initial={initial?.[name]}
        />
      ))}
    </div>
  );
}
