'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { ActionForm } from '#components/action-form.tsx';
import { NumberField, TextField } from '#components/form-fields.tsx';
import { Dialog, DialogButtons } from '#components/ui/dialog.tsx';
import { Name } from '#components/ui/name.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { plural } from '#lib/format.ts';
import { addPlan, editPlan } from '../actions.ts';

export interface PlanRow {
  planId: string;
  name: string;
  activeKeyCap: number;
  rateLimitPerMinute: number;
  monthlyQuota: number;
  /** The number of projects on it. */
  projects: number;
  /** New projects start on it, so it can be neither renamed nor deleted. */
  isDefault: boolean;
}

const LIMITS = [
  { name: 'monthlyQuota', label: 'Requests per month', hint: '0 allows no requests.' },
  { name: 'rateLimitPerMinute', label: 'Requests per minute', hint: '0 allows no requests.' },
  {
    name: 'activeKeyCap',
    label: 'Active keys',
    hint: 'If you lower it, existing keys keep working, but new ones cannot be created.',
  },
] as const;

export interface PlanDialogProps {
  /** Undefined adds a plan. */
  plan: PlanRow | undefined;
  open: boolean;
  onClose: () => void;
}

export function PlanDialog({ plan, open, onClose }: PlanDialogProps) {
  const toast = useToast();
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={
        plan ? (
          <>
            Change <Name>{plan.name}</Name>
          </>
        ) : (
          'Add a plan'
        )
      }
      description={
        plan
          ? `Changes apply immediately to ${plural(plan.projects, 'project')}.`
          : 'Every project can choose it.'
      }
    >
      <ActionForm
        action={plan ? editPlan : addPlan}
        hidden={plan ? { planId: plan.planId } : {}}
        onDone={() => {
          toast({ title: plan ? 'Plan saved' : 'Plan added' });
          onClose();
        }}
        className="grid gap-4"
      >
        {(parts) => (
          <>
            {plan?.isDefault ? (
              <input type="hidden" name="name" value={plan.name} />
            ) : (
              <TextField
                parts={parts}
                name="name"
                label="Name"
                initial={plan?.name}
                maxLength={DISPLAY_NAME_LENGTH_MAX}
              />
            )}
            {LIMITS.map((limit) => (
              <NumberField key={limit.name} parts={parts} initial={plan?.[limit.name]} {...limit} />
            ))}
            <DialogButtons label={plan ? 'Save plan' : 'Add plan'} pending={parts.pending} />
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}
