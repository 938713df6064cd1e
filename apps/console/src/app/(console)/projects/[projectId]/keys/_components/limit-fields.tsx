'use client';

import type { ActionFormParts } from '#components/action-form.tsx';
import { NumberField } from '#components/form-fields.tsx';

export interface LimitFieldsProps {
  parts: Pick<ActionFormParts<unknown>, 'errorOf' | 'typed'>;
  initial?: { rateLimitPerMinute: number | null; monthlyQuota: number | null };
  /** The project's default rate for its keys; null if only the plan limits them. */
  defaultRate: number | null;
}

/** A key's own limits, both optional. */
export function LimitFields({ parts, initial, defaultRate }: LimitFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <NumberField
        parts={parts}
        name="rateLimitPerMinute"
        label="Requests per minute"
        optional
        hint={
          defaultRate === null
            ? 'If empty, only the plan’s limit applies.'
            : `If empty, the project’s default applies: ${defaultRate} per minute.`
        }
        initial={initial?.rateLimitPerMinute}
      />
      <NumberField
        parts={parts}
        name="monthlyQuota"
        label="Requests per month"
        optional
        hint="If empty, only the plan’s limit applies. 0 allows no requests."
        initial={initial?.monthlyQuota}
      />
    </div>
  );
}
