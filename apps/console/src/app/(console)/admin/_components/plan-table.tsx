'use client';

import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '#components/ui/table.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { PlanDeletion } from './plan-deletion.tsx';
import type { PlanRow } from './plan-dialog.tsx';
import { PlanDialog } from './plan-dialog.tsx';

type Asked = { kind: 'add' } | { kind: 'edit' | 'delete'; plan: PlanRow };

/** Every plan with its limits; the dialogs stand beside the table, which a plan may leave. */
export function PlanTable({ plans }: { plans: readonly PlanRow[] }) {
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-4">
        <p className="text-muted">
          A change holds for every project on the plan, from the next decision on.
        </p>
        <Button variant="primary" data-shortcut="new" onClick={() => setAsked({ kind: 'add' })}>
          <Plus aria-hidden="true" />
          Add plan
        </Button>
      </div>
      <Table label="Plans">
        <TableHead>
          <Row>
            <HeadCell>Name</HeadCell>
            <HeadCell numeric className="max-md:hidden">
              Requests a month
            </HeadCell>
            <HeadCell numeric className="max-md:hidden">
              A minute
            </HeadCell>
            <HeadCell numeric className="max-md:hidden">
              Active keys
            </HeadCell>
            <HeadCell numeric className="max-md:hidden">
              Projects
            </HeadCell>
            <HeadCell className="relative">
              <span className="sr-only">Change</span>
            </HeadCell>
          </Row>
        </TableHead>
        <TableBody>
          {plans.map((plan) => (
            <Row key={plan.planId}>
              <Cell className="max-md:py-3">
                <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
                  <Name>{plan.name}</Name>
                  {plan.isDefault && <Chip>New projects</Chip>}
                </p>
                <p className="numbers text-small text-muted md:hidden">
                  {formatCount(plan.monthlyQuota)} a month, {formatCount(plan.rateLimitPerMinute)} a
                  minute
                  <br />
                  {plural(plan.activeKeyCap, 'active key')}, {plural(plan.projects, 'project')}
                </p>
              </Cell>
              <Cell numeric className="max-md:hidden">
                {formatCount(plan.monthlyQuota)}
              </Cell>
              <Cell numeric className="max-md:hidden">
                {formatCount(plan.rateLimitPerMinute)}
              </Cell>
              <Cell numeric className="max-md:hidden">
                {formatCount(plan.activeKeyCap)}
              </Cell>
              <Cell numeric className="max-md:hidden">
                {formatCount(plan.projects)}
              </Cell>
              <Cell className="w-px text-right whitespace-nowrap">
                <Button
                  size="icon"
                  variant="quiet"
                  aria-label={`Change ${legible(plan.name)}`}
                  onClick={() => setAsked({ kind: 'edit', plan })}
                >
                  <Pencil aria-hidden="true" />
                </Button>
                <Button
                  size="icon"
                  variant="quiet"
                  aria-label={`Delete ${legible(plan.name)}`}
                  disabled={plan.isDefault || plan.projects > 0}
                  onClick={() => setAsked({ kind: 'delete', plan })}
                >
                  <Trash2 aria-hidden="true" />
                </Button>
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      <p className="mt-2 text-small text-muted">A plan can be deleted once no project is on it.</p>
      <PlanDialog
        plan={asked?.kind === 'edit' ? asked.plan : undefined}
        open={asked?.kind === 'add' || asked?.kind === 'edit'}
        onClose={close}
      />
      <PlanDeletion plan={asked?.kind === 'delete' ? asked.plan : undefined} onClose={close} />
    </>
  );
}
