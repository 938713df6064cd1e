'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { listLimits } from '@ceiba/domain/limits';
import type { PlanWithUse } from '@ceiba/schema';
import { FormDialog } from '#components/action-dialog.tsx';
import { NumberField, TextField } from '#components/form-fields.tsx';
import { named } from '#components/ui/name.tsx';
import { limitLabel, plural, zeroOf } from '#lib/format.ts';
import { addPlan, editPlan } from '../actions.ts';

/** The quota comes first, as in the table. */
const LIMITS = [
  ...listLimits((name) => ({
    name,
    label: limitLabel(name),
    optional: name === 'dailyQuota',
    hint: `${name === 'dailyQuota' ? 'If empty, only the month is limited. ' : ''}${zeroOf(name)}`,
  })).toReversed(),
  {
    name: 'activeKeyCap',
    label: 'Active keys',
    hint: 'If you lower it, existing keys keep working, but new ones cannot be created.',
  } as const,
];

export interface PlanDialogProps {
  /** Undefined adds a plan. */
  plan: PlanWithUse | undefined;
  onClose: () => void;
}

export const PlanDialog = ({ plan, onClose }: PlanDialogProps) => (
  <FormDialog
    onClose={onClose}
    title={plan ? named`Change ${plan.name}` : 'Add a plan'}
    description={
      plan
        ? `Changes apply immediately to ${plural(plan.projects, 'project')}.`
        : 'Every project can choose it.'
    }
    action={plan ? editPlan : addPlan}
    hidden={plan && { planId: plan.planId, seen: JSON.stringify(plan) }}
    done={{ title: plan ? 'Plan saved' : 'Plan added' }}
    submit={plan ? 'Save plan' : 'Add plan'}
  >
    {plan?.isDefault ? (
      <input type="hidden" name="name" value={plan.name} />
    ) : (
      <TextField
        name="name"
        label="Name"
        initial={plan?.name}
        maxLength={DISPLAY_NAME_LENGTH_MAX}
      />
    )}
    {LIMITS.map((limit) => (
      <NumberField key={limit.name} initial={plan?.[limit.name]} {...limit} />
    ))}
  </FormDialog>
);
