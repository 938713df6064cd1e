'use client';

import type { PlanWithUse } from '@ceiba/schema';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { Button, IconButton } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { LimitText } from '#components/ui/limit-text.tsx';
import { Name, named } from '#components/ui/name.tsx';
import { actionsColumn, Table } from '#components/ui/table.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { removePlan } from '../actions.ts';

// Loaded when it opens, to keep the page small.
const PlanDialog = dynamic(() => import('./plan-dialog.tsx').then((file) => file.PlanDialog));

type Step = { kind: 'add' } | { kind: 'edit' | 'delete'; plan: PlanWithUse };

/** The numbers of a plan; on a phone they are one line under its name. */
const NUMBERS = [
  ['Requests per month', (plan: PlanWithUse) => plan.monthlyQuota],
  ['Per day', (plan: PlanWithUse) => plan.dailyQuota],
  ['Per minute', (plan: PlanWithUse) => plan.rateLimitPerMinute],
  ['Active keys', (plan: PlanWithUse) => plan.activeKeyCap],
  ['Projects', (plan: PlanWithUse) => plan.projects],
] as const;

/** Every plan with its limits. The dialogs are outside the table, because a row may leave it. */
export function PlanTable({ plans }: { plans: readonly PlanWithUse[] }) {
  const [step, setStep] = useState<Step>();
  const close = () => setStep(undefined);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-4">
        <p className="text-muted">Changes apply immediately to every project on the plan.</p>
        <Button variant="primary" data-shortcut="new" onClick={() => setStep({ kind: 'add' })}>
          <Plus aria-hidden="true" />
          Add plan
        </Button>
      </div>
      <Table
        label="Plans"
        items={plans}
        keyOf={({ planId }) => planId}
        columns={[
          { name: 'Name', cellClassName: 'max-md:py-3', cell: (plan) => <PlanName plan={plan} /> },
          ...NUMBERS.map(([name, value]) => ({
            name,
            numeric: true,
            className: 'max-md:hidden',
            cell: (plan: PlanWithUse) => <LimitText value={value(plan)} />,
          })),
          actionsColumn<PlanWithUse>((plan) => (
            <>
              <IconButton
                icon={Pencil}
                label={`Change ${legible(plan.name)}`}
                onClick={() => setStep({ kind: 'edit', plan })}
              />
              <IconButton
                icon={Trash2}
                label={`Delete ${legible(plan.name)}`}
                disabled={plan.isDefault || plan.projects > 0}
                onClick={() => setStep({ kind: 'delete', plan })}
              />
            </>
          )),
        ]}
      />
      <p className="mt-2 text-small text-muted">You can delete a plan that no project is on.</p>
      {(step?.kind === 'add' || step?.kind === 'edit') && (
        <PlanDialog plan={step.kind === 'edit' ? step.plan : undefined} onClose={close} />
      )}
      {step?.kind === 'delete' && <PlanDeletion plan={step.plan} onClose={close} />}
    </>
  );
}

const PlanName = ({ plan }: { plan: PlanWithUse }) => (
  <>
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
      <Name>{plan.name}</Name>
      {plan.isDefault && <Chip>New projects</Chip>}
    </p>
    <p className="numbers text-small text-muted md:hidden">
      {formatCount(plan.monthlyQuota)} per month,{' '}
      {plan.dailyQuota !== null && `${formatCount(plan.dailyQuota)} per day, `}
      <span className="whitespace-nowrap">{formatCount(plan.rateLimitPerMinute)} per minute</span>
      <br />
      {plural(plan.activeKeyCap, 'active key')}, {plural(plan.projects, 'project')}
    </p>
  </>
);

const PlanDeletion = ({ plan, onClose }: { plan: PlanWithUse; onClose: () => void }) => (
  <ConfirmAction
    onClose={onClose}
    title={named`Delete the plan ${plan.name}?`}
    description="No project is on it. You can add it again."
    action={removePlan}
    hidden={{ planId: plan.planId }}
    done={{ title: 'Plan deleted', description: plan.name }}
    cancel="Keep plan"
    confirm="Delete plan"
  />
);
