'use client';

import {
  DECISION_RETENTION_DAYS_MAX,
  DECISION_RETENTION_DAYS_MIN,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
} from '@ceiba/domain/constants';
import { NumberField } from '#components/form-fields.tsx';
import { SubmitForm } from '#components/submit-form.tsx';
import { formatCount } from '#lib/format.ts';
import { saveRetention } from '../actions.ts';

export interface RetentionFormProps {
  /** Null keeps the data forever. */
  usageDays: number | null;
  auditDays: number | null;
  decisionDays: number;
}

const FIELDS = [
  { name: 'usageDays', label: 'Days of usage' },
  { name: 'auditDays', label: 'Days of the audit log' },
] as const;
const REQUESTS_HINT = `From ${DECISION_RETENTION_DAYS_MIN} to ${DECISION_RETENTION_DAYS_MAX}.`;

export const RetentionForm = (days: RetentionFormProps) => (
  <SubmitForm
    action={saveRetention}
    hidden={{ seen: JSON.stringify(days) }}
    done={{ title: 'Retention saved', description: 'It is applied within an hour.' }}
    submit="Save retention"
    variant="primary"
    className="grid max-w-md gap-6"
  >
    {FIELDS.map(({ name, label }) => (
      <NumberField
        key={name}
        name={name}
        label={label}
        optional
        hint={`From ${formatCount(RETENTION_DAYS_MIN)} to ${formatCount(RETENTION_DAYS_MAX)}. Leave it empty to keep everything.`}
        initial={days[name]}
      />
    ))}
    <NumberField
      name="decisionDays"
      label="Days of recorded requests"
      hint={REQUESTS_HINT}
      initial={days.decisionDays}
    />
  </SubmitForm>
);
