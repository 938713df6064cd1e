'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { NumberField, TextField } from '#components/form-fields.tsx';
import { LimitFields } from '#components/limit-fields.tsx';
import { ScopeFields } from '#components/scope-fields.tsx';
import { named } from '#components/ui/name.tsx';
import { plural } from '#lib/format.ts';
import type { LabelSet } from '#lib/labels.ts';
import { addCustomerPlan, editCustomerPlan, removeCustomerPlan } from '../actions.ts';
import type { PlanStep } from '../plan-step.ts';

export interface PlanDialogProps extends PlanStep {
  sets: readonly LabelSet[];
  onClose: () => void;
}

/** Adds, changes or deletes a plan. */
export default function PlanDialog({ kind, plan, sets, onClose }: PlanDialogProps) {
  if (kind === 'delete' && plan) {
    return (
      <ConfirmAction
        onClose={onClose}
        title={named`Delete the plan ${plan.name}?`}
        description="No customer is on it. You can add it again."
        action={removeCustomerPlan}
        hidden={{ planId: plan.planId }}
        done={{ title: 'Plan deleted', description: plan.name }}
        cancel="Keep plan"
        confirm="Delete plan"
      />
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title={plan ? named`Change ${plan.name}` : 'Add a plan'}
      description={
        plan
          ? `Changes apply to ${plural(plan.customers, 'customer')} from the next request on.`
          : 'Give it to a customer on the customer’s page, or by your billing system through the API.'
      }
      action={plan ? editCustomerPlan : addCustomerPlan}
      hidden={plan && { planId: plan.planId, seen: JSON.stringify(plan) }}
      done={{ title: plan ? 'Plan saved' : 'Plan added' }}
      submit={plan ? 'Save plan' : 'Add plan'}
    >
      <TextField
        name="name"
        label="Name"
        initial={plan?.name}
        maxLength={DISPLAY_NAME_LENGTH_MAX}
        autoFocus={plan === undefined}
      />
      <LimitFields initial={plan} hintOf={() => 'If empty, the plan does not limit it.'} />
      <NumberField
        name="activeKeyCap"
        label="Active keys of each customer"
        optional
        hint="If you lower it, existing keys keep working, but new ones cannot be created."
        initial={plan?.activeKeyCap}
      />
      <ScopeFields initial={plan?.scopes ?? null} sets={sets} />
    </FormDialog>
  );
}
