import type { DayUse, Subscription } from '@ceiba/schema';
import type { ReactNode } from 'react';
import { ChangeLabel, Fact, Facts } from '#components/ui/facts.tsx';
import { Name } from '#components/ui/name.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { ChangeStatus, SubscriptionButton } from './subscription-dialogs.tsx';

export interface SubscriptionFactsProps {
  subscription: Subscription | null;
  day: DayUse;
  activeKeys: number;
  mayChange: boolean;
}

/** What is set of the subscription, each with the button that changes it, and the limits of the plan. */
export function SubscriptionFacts(props: SubscriptionFactsProps) {
  const { subscription, day, activeKeys, mayChange } = props;
  const change = (step: 'plan' | 'period_end', label: string): ReactNode =>
    mayChange && (
      <SubscriptionButton opens={{ step }} address={step} size="sm" variant="quiet">
        <ChangeLabel>{label}</ChangeLabel>
      </SubscriptionButton>
    );
  if (subscription === null) {
    return (
      <Facts>
        <Fact name="Plan" change={change('plan', 'Choose plan')}>
          <span className="text-muted">none</span>
        </Fact>
      </Facts>
    );
  }
  const { plan, status, currentPeriodEnd } = subscription;
  return (
    <Facts>
      <Fact name="Plan" change={change('plan', 'Change plan')}>
        <Name>{plan.name}</Name>
      </Fact>
      <Fact name="Rate">{formatCount(plan.rateLimitPerMinute)} per minute</Fact>
      <Fact name="Status" change={mayChange && <ChangeStatus status={status} />}>
        <StatusChip status={status} />
      </Fact>
      <Fact name="Active keys">
        {formatCount(activeKeys)} of {formatCount(plan.activeKeyCap)}
      </Fact>
      <Fact name="Period end" change={change('period_end', 'Set period end')}>
        {currentPeriodEnd === null ? 'never' : <AbsoluteTime at={currentPeriodEnd} />}
      </Fact>
      {plan.dailyQuota !== null && (
        <Fact name="Daily quota">
          {formatCount(day.used)} of {formatCount(plan.dailyQuota)} used today, in UTC
        </Fact>
      )}
    </Facts>
  );
}
