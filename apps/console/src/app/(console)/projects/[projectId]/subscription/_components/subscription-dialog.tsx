'use client';

import type { SubscriptionStatus } from '@ceiba/contract/sets';
import { describeLimits } from '@ceiba/domain/limits';
import type { Plan } from '@ceiba/schema';
import { useState } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { useActionForm } from '#components/action-form.tsx';
import { Combobox } from '#components/combobox.tsx';
import { EndField } from '#components/end-field.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { useClock } from '#components/ui/time.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { StillUsed } from '../../_components/still-used.tsx';
import { changePeriodEnd, changePlan, changeStatus, findPlans } from '../actions.ts';
import type { PlanChoice } from '../plan-choices.ts';
import { effectOf, STATUS_CHANGES } from './status-changes.ts';

/** What a dialog can do to the subscription. */
export type SubscriptionStep =
  | { step: 'plan' | 'period_end' }
  | { step: 'status'; status: SubscriptionStatus };

/** What all dialogs of the subscription share. */
export interface SubscriptionDialogFacts extends Use {
  projectId: string;
  /** The plans that are offered before anything is typed. */
  choices: readonly PlanChoice[];
  /** Null if the project has no subscription. */
  current: PlanChoice | null;
  /** ISO 8601; null if the subscription has no end. */
  currentPeriodEnd: string | null;
}

/** What the project uses now. */
interface Use {
  activeKeys: number;
  /** Requests allowed this month. */
  used: number;
  usedToday: number;
}

type Dialog = SubscriptionDialogFacts & { onClose: () => void };

/** One change of the subscription, and what it does to the calls of the project. */
export default function SubscriptionDialog(props: Dialog & SubscriptionStep) {
  switch (props.step) {
    case 'plan':
      return <PlanDialog {...props} />;
    case 'period_end':
      return <PeriodEndDialog {...props} />;
    case 'status':
      return <StatusDialog {...props} />;
  }
}

/** Finds a plan among those of the installation, and says what choosing it does. */
function PlanDialog({ onClose, current, ...facts }: Dialog) {
  const [chosen, setChosen] = useState(current);
  const isOther = chosen !== null && chosen.id !== current?.id;
  return (
    <FormDialog
      onClose={onClose}
      title="Plan of the project"
      description="Plan changes apply immediately."
      action={changePlan}
      submit={isOther ? `Change to ${chosen.label}` : 'Change plan'}
      done={{
        title: `On the plan ${chosen?.label ?? ''}`,
        description: 'Its limits apply from the next decision on.',
      }}
    >
      {/* The list of plans needs room, which a dialog would cut off. */}
      <div className="grid min-h-80 content-start gap-4">
        <PlanField {...facts} chosen={chosen} onChoose={setChosen} />
        <div aria-live="polite" className="empty:hidden">
          {isOther && <Effect plan={chosen.plan} {...facts} />}
        </div>
      </div>
    </FormDialog>
  );
}

interface PlanFieldProps extends Pick<SubscriptionDialogFacts, 'projectId' | 'choices'> {
  chosen: PlanChoice | null;
  onChoose: (plan: PlanChoice | null) => void;
}

function PlanField({ projectId, choices, chosen, onChoose }: PlanFieldProps) {
  const { errorOf } = useActionForm();
  return (
    <Combobox
      name="planId"
      label="Plan"
      hint="Type a part of its name. The plans of your own projects come first."
      error={errorOf('planId')}
      projectId={projectId}
      search={findPlans}
      choices={choices}
      value={chosen}
      onChange={onChoose}
      listName="Plans"
      nothing="No plan has this in its name."
    />
  );
}

/** What a plan changes: a warning if it denies something that is allowed now. */
function Effect({ plan, activeKeys, used, usedToday }: Use & { plan: Plan }) {
  const effect = `From the next decision on: ${describeLimits(plan, formatCount)}.`;
  const losses: string[] = [];
  if (used >= plan.monthlyQuota) {
    losses.push(
      `${formatCount(used)} are used this month already, so calls that cost something are denied until next month.`,
    );
  } else if (plan.dailyQuota !== null && usedToday >= plan.dailyQuota) {
    losses.push(
      `${formatCount(usedToday)} are used today (UTC) already, so calls that cost something are denied until tomorrow.`,
    );
  }
  if (activeKeys > plan.activeKeyCap) {
    losses.push(
      `Your ${plural(activeKeys, 'active key')} keep working, but you cannot create a key until fewer than ${formatCount(plan.activeKeyCap)} are active.`,
    );
  }
  if (losses.length === 0) return <p className="text-muted">{effect}</p>;
  return (
    <Notice tone="warning" title={losses.join(' ')}>
      {effect}
    </Notice>
  );
}

const PeriodEndDialog = ({ onClose, currentPeriodEnd }: Dialog) => (
  <FormDialog
    onClose={onClose}
    title="Period end"
    description="From this time on, all calls are denied until you set a later end."
    action={changePeriodEnd}
    submit="Save period end"
    done={{ title: 'Period end saved', description: 'It applies from the next decision on.' }}
  >
    <EndField
      label="Ends"
      names={{ ends: 'ends', instant: 'currentPeriodEnd' }}
      initial={currentPeriodEnd}
      calls="All calls"
    />
  </FormDialog>
);

function StatusDialog({
  onClose,
  status,
  currentPeriodEnd,
}: Dialog & { status: SubscriptionStatus }) {
  const { now } = useClock();
  const hasEnded = currentPeriodEnd !== null && new Date(currentPeriodEnd) <= now;
  const { title, done, label, denies } = STATUS_CHANGES[status];
  return (
    <ConfirmAction
      onClose={onClose}
      title={title}
      description={<p>{effectOf(status, hasEnded)}</p>}
      action={changeStatus}
      hidden={{ status }}
      done={{ title: done, description: 'From the next decision on.' }}
      cancel="Keep as it is"
      confirm={label}
      isDangerous={denies}
    >
      {denies && <StillUsed of={{}} as="project" />}
    </ConfirmAction>
  );
}
