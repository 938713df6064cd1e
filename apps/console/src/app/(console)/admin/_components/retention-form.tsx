'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { formatCount } from '#lib/format.ts';
import { saveRetention } from '../actions.ts';

export interface RetentionFormProps {
  /** Null keeps it for ever. */
  usageDays: number | null;
  auditDays: number | null;
  daysMin: number;
  daysMax: number;
}

const FIELDS = [
  { name: 'usageDays', label: 'Days of usage' },
  { name: 'auditDays', label: 'Days of the audit log' },
] as const;

export function RetentionForm({ daysMin, daysMax, ...days }: RetentionFormProps) {
  const toast = useToast();
  return (
    <ActionForm
      action={saveRetention}
      onDone={() =>
        toast({ title: 'The retention is saved', description: 'It is applied within the hour.' })
      }
      className="grid max-w-md gap-6"
    >
      {({ pending, errorOf, typed }) => (
        <>
          {FIELDS.map(({ name, label }) => (
            <Field
              key={name}
              name={name}
              label={label}
              optional
              hint={`From ${formatCount(daysMin)} to ${formatCount(daysMax)}. Empty keeps all of it.`}
              error={errorOf(name)}
            >
              {(control) => (
                <Input
                  {...control}
                  inputMode="numeric"
                  autoComplete="off"
                  className="numbers"
                  defaultValue={typed(name, String(days[name] ?? ''))}
                />
              )}
            </Field>
          ))}
          <div>
            <Button type="submit" variant="primary" pending={pending}>
              Save retention
            </Button>
          </div>
        </>
      )}
    </ActionForm>
  );
}
