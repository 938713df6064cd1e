'use client';

import type { CustomerPlanWithUse } from '@ceiba/schema';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { rowDialogs } from '#components/row-dialogs.tsx';
import { Button, IconButton } from '#components/ui/button.tsx';
import type { LabelSet } from '#lib/labels.ts';
import { legible } from '#lib/text.ts';
import type { PlanStep } from '../plan-step.ts';

const { Dialogs, useOpen } = rowDialogs<PlanStep, { sets: readonly LabelSet[] }>(
  () => import('./plan-dialog.tsx'),
);

/** Shows the dialogs of the plans inside it. */
export const PlanDialogs = Dialogs;

export function AddPlan({ children }: { children: ReactNode }) {
  const open = useOpen();
  return (
    <Button
      variant="primary"
      data-shortcut="new"
      onClick={(event) => open({ kind: 'edit', plan: undefined }, event.currentTarget)}
    >
      <Plus aria-hidden="true" />
      {children}
    </Button>
  );
}

/** The changes of one plan. One with customers cannot be deleted. */
export function ChangePlan({ plan }: { plan: CustomerPlanWithUse }) {
  const open = useOpen();
  return (
    <>
      <IconButton
        icon={Pencil}
        label={`Change ${legible(plan.name)}`}
        onClick={(event) => open({ kind: 'edit', plan }, event.currentTarget)}
      />
      <IconButton
        icon={Trash2}
        label={`Delete ${legible(plan.name)}`}
        disabled={plan.customers > 0}
        onClick={(event) => open({ kind: 'delete', plan }, event.currentTarget)}
      />
    </>
  );
}
