'use client';

import { type KeyLimits, LIMITS, listLimits } from '@ceiba/domain/limits';
import type { ActionFormParts } from '#components/action-form.tsx';
import { NumberField } from '#components/form-fields.tsx';
import { limitLabel } from '#lib/format.ts';

export interface LimitFieldsProps {
  parts: Pick<ActionFormParts<unknown>, 'errorOf' | 'typed'>;
  initial?: KeyLimits;
  /** The project's default rate for its keys; null if only the plan limits them. */
  defaultRate: number | null;
}

/** A key's own limits, all optional. */
export function LimitFields({ parts, initial, defaultRate }: LimitFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {listLimits((name) => (
        <NumberField
          key={name}
          parts={parts}
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
