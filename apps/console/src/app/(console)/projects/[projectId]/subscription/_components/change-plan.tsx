'use client';

import { describeLimits } from '@ceiba/domain/limits';
import type { Plan } from '@ceiba/schema';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Combobox } from '#components/combobox.tsx';
import { SubmitButton } from '#components/submit-form.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { changePlan, findPlans } from '../actions.ts';
import type { PlanChoice } from '../plan-choices.ts';

export interface ChangePlanProps extends Use {
  projectId: string;
  /** The plans that are offered before anything is typed. */
  choices: readonly PlanChoice[];
  /** Null if the project has no subscription. */
  current: PlanChoice | null;
}

/** What the project uses now. */
interface Use {
  activeKeys: number;
  /** Requests allowed this month. */
  used: number;
}

/** Finds a plan among those of the installation, and says what choosing it does. */
export function ChangePlan({ projectId, choices, current, ...use }: ChangePlanProps) {
  const [chosen, setChosen] = useState(current);
  const isOther = chosen !== null && chosen.id !== current?.id;
  return (
    <ActionForm
      action={changePlan}
      done={{
        title: `Changed to ${chosen?.label ?? ''}`,
        description: 'Its limits apply from the next decision on.',
      }}
      className="grid max-w-2xl gap-4"
    >
      {({ errorOf }) => (
        <>
          <Combobox
            name="planId"
            label="Plan"
            hint="Type a part of its name. The plans of your own projects come first."
            error={errorOf('planId')}
            projectId={projectId}
            search={findPlans}
            choices={choices}
            value={chosen}
            onChange={setChosen}
            listName="Plans"
            nothing="No plan has this in its name."
          />
          <div aria-live="polite" className="empty:hidden">
            {isOther && <Effect plan={chosen.plan} {...use} />}
          </div>
          <div>
            <SubmitButton variant="primary" disabled={!isOther}>
              {isOther ? `Change to ${chosen.label}` : 'Change plan'}
            </SubmitButton>
          </div>
        </>
      )}
    </ActionForm>
  );
}

/** What a plan changes: a warning if it denies something that is allowed now. */
function Effect({ plan, activeKeys, used }: Use & { plan: Plan }) {
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
