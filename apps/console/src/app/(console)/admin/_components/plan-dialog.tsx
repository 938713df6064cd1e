'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Dialog, DialogFooter } from '#components/ui/dialog.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
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
  /** How many projects are on it. */
  projects: number;
  /** New projects start on it: it can be neither renamed nor deleted. */
  isDefault: boolean;
}

const LIMITS = [
  { name: 'monthlyQuota', label: 'Requests a month', hint: '0 allows no requests.' },
  { name: 'rateLimitPerMinute', label: 'Requests a minute', hint: '0 allows no requests.' },
  {
    name: 'activeKeyCap',
    label: 'Active keys',
    hint: 'A smaller number leaves existing keys working and refuses new ones.',
  },
] as const;

export interface PlanDialogProps {
  /** Absent for a new one. */
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
          ? `${plural(plan.projects, 'project')} on it ${plan.projects === 1 ? 'is' : 'are'} judged by the new limits from the next decision on.`
          : 'Every project can change to it.'
      }
    >
      <ActionForm
        action={plan ? editPlan : addPlan}
        hidden={plan ? { planId: plan.planId } : {}}
        onDone={() => {
          toast({ title: plan ? 'The plan is changed' : 'The plan is added' });
          onClose();
        }}
        className="grid gap-4"
      >
        {({ pending, errorOf, typed }) => (
          <>
            {plan?.isDefault ? (
              <input type="hidden" name="name" value={plan.name} />
            ) : (
              <Field name="name" label="Name" error={errorOf('name')}>
                {(control) => (
                  <Input
                    {...control}
                    defaultValue={typed('name', plan?.name)}
                    maxLength={100}
                    autoComplete="off"
                  />
                )}
              </Field>
            )}
            {LIMITS.map(({ name, label, hint }) => (
              <Field key={name} name={name} label={label} hint={hint} error={errorOf(name)}>
                {(control) => (
                  <Input
                    {...control}
                    inputMode="numeric"
                    autoComplete="off"
                    className="numbers"
                    defaultValue={typed(name, plan && String(plan[name]))}
                  />
                )}
              </Field>
            ))}
            <DialogFooter>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" variant="primary" pending={pending}>
                {plan ? 'Save plan' : 'Add plan'}
              </Button>
            </DialogFooter>
          </>
        )}
      </ActionForm>
    </Dialog>
  );
}
