'use client';

import type { ActionFormParts } from '#components/action-form.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';

export interface LimitFieldsProps {
  parts: Pick<ActionFormParts<unknown>, 'errorOf' | 'typed'>;
  initial?: { rateLimitPerMinute: number | null; monthlyQuota: number | null };
  /** What holds for a key without a rate of its own; null when only the plan does. */
  defaultRate: number | null;
}

/** A key's own limits, each of which may be left out. */
export function LimitFields({ parts, initial, defaultRate }: LimitFieldsProps) {
  const { errorOf, typed } = parts;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        name="rateLimitPerMinute"
        label="Requests a minute"
        optional
        hint={
          defaultRate === null
            ? 'Empty: only the plan limits it.'
            : `Empty: the project’s default, ${defaultRate} a minute.`
        }
        error={errorOf('rateLimitPerMinute')}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            className="numbers"
            defaultValue={typed('rateLimitPerMinute', textOf(initial?.rateLimitPerMinute))}
          />
        )}
      </Field>
      <Field
        name="monthlyQuota"
        label="Requests a month"
        optional
        hint="Empty: only the plan limits it. 0 allows no requests."
        error={errorOf('monthlyQuota')}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            autoComplete="off"
            className="numbers"
            defaultValue={typed('monthlyQuota', textOf(initial?.monthlyQuota))}
          />
        )}
      </Field>
    </div>
  );
}

const textOf = (limit: number | null | undefined) => (limit == null ? '' : String(limit));
