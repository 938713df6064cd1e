'use client';

import type { PlanWithUse } from '@ceiba/schema';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { Button, IconButton } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { removePlan } from '../actions.ts';
import { PlanDialog } from './plan-dialog.tsx';

type Step = { kind: 'add' } | { kind: 'edit' | 'delete'; plan: PlanWithUse };

/** The numbers of a plan; on a phone they are one line under its name. */
const COLUMNS = [
  { heading: 'Requests per month', value: (plan: PlanWithUse) => plan.monthlyQuota },
  { heading: 'Per minute', value: (plan: PlanWithUse) => plan.rateLimitPerMinute },
  { heading: 'Active keys', value: (plan: PlanWithUse) => plan.activeKeyCap },
  { heading: 'Projects', value: (plan: PlanWithUse) => plan.projects },
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
        head={
          <>
            <HeadCell>Name</HeadCell>
            {COLUMNS.map(({ heading }) => (
              <HeadCell key={heading} numeric className="max-md:hidden">
                {heading}
              </HeadCell>
            ))}
            <ActionsHeadCell />
          </>
        }
      >
        {plans.map((plan) => (
          <PlanCells key={plan.planId} plan={plan} onStep={setStep} />
        ))}
      </Table>
      <p className="mt-2 text-small text-muted">You can delete a plan that no project is on.</p>
      {(step?.kind === 'add' || step?.kind === 'edit') && (
        <PlanDialog plan={step.kind === 'edit' ? step.plan : undefined} onClose={close} />
      )}
      {step?.kind === 'delete' && <PlanDeletion plan={step.plan} onClose={close} />}
    </>
  );
}

function PlanCells({ plan, onStep }: { plan: PlanWithUse; onStep: (step: Step) => void }) {
  return (
    <Row>
      <Cell className="max-md:py-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
          <Name>{plan.name}</Name>
          {plan.isDefault && <Chip>New projects</Chip>}
        </p>
        <p className="numbers text-small text-muted md:hidden">
          {formatCount(plan.monthlyQuota)} per month,{' '}
          <span className="whitespace-nowrap">
            {formatCount(plan.rateLimitPerMinute)} per minute
          </span>
          <br />
          {plural(plan.activeKeyCap, 'active key')}, {plural(plan.projects, 'project')}
        </p>
      </Cell>
      {COLUMNS.map(({ heading, value }) => (
        <Cell key={heading} numeric className="max-md:hidden">
          {formatCount(value(plan))}
        </Cell>
      ))}
      <Cell className="w-px text-right whitespace-nowrap">
        <IconButton
          icon={Pencil}
          label={`Change ${legible(plan.name)}`}
          onClick={() => onStep({ kind: 'edit', plan })}
        />
        <IconButton
          icon={Trash2}
          label={`Delete ${legible(plan.name)}`}
          disabled={plan.isDefault || plan.projects > 0}
          onClick={() => onStep({ kind: 'delete', plan })}
        />
      </Cell>
    </Row>
  );
}

const PlanDeletion = ({ plan, onClose }: { plan: PlanWithUse; onClose: () => void }) => (
  <ConfirmAction
    onClose={onClose}
    title={
      <>
        Delete the plan <Name>{plan.name}</Name>?
      </>
    }
    description="No project is on it. You can add it again."
    action={removePlan}
    hidden={{ planId: plan.planId }}
    done={{ title: 'Plan deleted', description: plan.name }}
    cancel="Keep plan"
    confirm="Delete plan"
  />
);
