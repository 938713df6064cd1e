'use client';

import { describeLimits } from '@ceiba/domain/limits';
import type { Plan } from '@ceiba/schema';
import { clsx } from 'clsx';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { FieldError } from '#components/form-fields.tsx';
import { SubmitButton } from '#components/submit-form.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { changePlan } from '../actions.ts';

export interface PlanChoiceProps {
  plans: readonly Plan[];
  /** Null if the project has no subscription. */
  currentPlanId: string | null;
  activeKeys: number;
  /** Requests allowed this month. */
  used: number;
}

/** Every plan with its limits, and what choosing one does. */
export function PlanChoice(props: PlanChoiceProps) {
  const { plans, currentPlanId } = props;
  const [chosenId, setChosenId] = useState(currentPlanId);
  const chosen = plans.find(({ planId }) => planId === chosenId);
  const isOther = chosen !== undefined && chosenId !== currentPlanId;
  return (
    <ActionForm
      action={changePlan}
      done={{
        title: `Changed to ${legible(chosen?.name ?? '')}`,
        description: 'Its limits apply from the next decision on.',
      }}
    >
      <fieldset className="grid gap-4">
        <legend className="sr-only">Plan</legend>
        <div className="panel divide-y overflow-hidden">
          {plans.map((plan) => (
            <PlanRow
              key={plan.planId}
              plan={plan}
              isCurrent={plan.planId === currentPlanId}
              isChosen={plan.planId === chosenId}
              onChoose={() => setChosenId(plan.planId)}
            />
          ))}
        </div>
        <div aria-live="polite" className="empty:hidden">
          {isOther && <Effect plan={chosen} {...props} />}
        </div>
        <FieldError field="planId" />
        <div>
          <SubmitButton variant="primary" disabled={!isOther}>
            {isOther ? `Change to ${legible(chosen.name)}` : 'Change plan'}
          </SubmitButton>
        </div>
      </fieldset>
    </ActionForm>
  );
}

interface PlanRowProps {
  plan: Plan;
  isCurrent: boolean;
  isChosen: boolean;
  onChoose: () => void;
}

function PlanRow({ plan, isCurrent, isChosen, onChoose }: PlanRowProps) {
  return (
    <label
      className={clsx(
        'numbers grid cursor-pointer grid-cols-[auto_1fr] items-center gap-x-3 gap-y-1 px-(--inset) py-3 transition-colors has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus sm:grid-cols-[auto_minmax(0,1fr)_11rem_8.5rem_7rem]',
        isChosen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <input
        type="radio"
        name="planId"
        value={plan.planId}
        checked={isChosen}
        onChange={onChoose}
        className="size-4 accent-accent focus-visible:outline-none"
      />
      <span className="flex flex-wrap items-center gap-x-3 font-medium">
        <Name>{plan.name}</Name>
        {isCurrent && <Chip>Current</Chip>}
      </span>
      <span className="col-start-2 flex flex-wrap gap-x-3 text-muted max-sm:text-small sm:contents sm:*:text-right">
        <span>
          {formatCount(plan.monthlyQuota)} per month
          {plan.dailyQuota !== null && (
            <span className="sm:block sm:text-small sm:text-muted">
              <span className="sm:hidden">, </span>
              {formatCount(plan.dailyQuota)} per day
            </span>
          )}
        </span>
        <span>{formatCount(plan.rateLimitPerMinute)} per minute</span>
        <span>{plural(plan.activeKeyCap, 'active key')}</span>
      </span>
    </label>
  );
}

/** What a plan changes: a warning if it denies something that is allowed now. */
function Effect({ plan, activeKeys, used }: PlanChoiceProps & { plan: Plan }) {
  const effect = `From the next decision on: ${describeLimits(plan, formatCount)}.`;
  const losses: string[] = [];
  if (used >= plan.monthlyQuota) {
    losses.push(
      `${formatCount(used)} are used this month already, so all calls are denied until next month.`,
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
