import { LAPSED_BY } from '@ceiba/domain';
import type { DayUse, InactiveReason, QuotaUse, Subscription } from '@ceiba/schema';
import { Notice } from '../ui/notice.tsx';
import { AbsoluteTime, PeriodTime } from '../ui/time.tsx';
import { type UsedUpQuota, usedUpText } from '../usage/used-up.ts';

export interface NextDecisionProps {
  subscription: Subscription | null;
  use: QuotaUse;
  /** Absent where the subscription denies anyway. */
  day?: DayUse;
}

/** Why a subscription denies every call, as a part of a sentence, and what allows calls again. */
export const INACTIVE = {
  no_subscription: { because: 'the project has no subscription', step: 'Choose a plan' },
  past_due: { because: 'the subscription is past due', step: 'Reactivate it' },
  canceled: { because: 'the subscription is canceled', step: 'Reactivate it' },
  period_ended: {
    because: 'the period of the subscription ended',
    step: 'Set a later end, or none,',
  },
} as const satisfies Record<InactiveReason, { because: string; step: string }>;

function inactiveReason(subscription: Subscription | null): InactiveReason | null {
  if (subscription === null) return 'no_subscription';
  return subscription.admits ? null : LAPSED_BY[subscription.status];
}

/** Why the subscription denies every call, as a part of a sentence; null if it does not. */
export function whyInactive(subscription: Subscription | null): string | null {
  const reason = inactiveReason(subscription);
  return reason && INACTIVE[reason].because;
}

/** Whether the subscription allows the next call, in one sentence. */
export function NextDecision({ subscription, use, day }: NextDecisionProps) {
  const reason = inactiveReason(subscription);
  if (subscription === null || reason !== null) {
    const { because, step } = INACTIVE[reason ?? 'no_subscription'];
    const endedAt = subscription?.currentPeriodEnd;
    const alsoEnded = reason !== 'period_ended' && endedAt && endedAt <= new Date();
    return (
      <Notice tone="error" title="All calls are denied" className="mb-4">
        <code>inactive_subscription</code>: {because}
        {reason === 'period_ended' && endedAt && (
          <>
            {' '}
            on <AbsoluteTime at={endedAt} />
          </>
        )}
        . {step}
        {alsoEnded && ' and set a later end, or none,'} to allow calls again.
      </Notice>
    );
  }
  const { currentPeriodEnd, plan } = subscription;
  if (use.used >= plan.monthlyQuota) {
    return <UsedUp quota={plan.monthlyQuota} window="month" until={use.monthEnd} />;
  }
  if (plan.dailyQuota !== null && day && day.used >= plan.dailyQuota) {
    return <UsedUp quota={plan.dailyQuota} window="day" until={day.dayEnd} />;
  }
  return (
    <Notice
      tone="done"
      title="Calls are allowed if the key and a policy permit them"
      className="mb-4"
    >
      {currentPeriodEnd ? (
        <>
          Until <AbsoluteTime at={currentPeriodEnd} />.
        </>
      ) : (
        'The subscription has no end.'
      )}
    </Notice>
  );
}

function UsedUp({ until, ...used }: UsedUpQuota & { until: Date }) {
  return (
    <Notice tone="warning" title="Calls that cost something are denied" className="mb-4">
      <code>quota_exceeded</code>: {usedUpText(used)}.{' '}
      {used.quota === 0 ? (
        'They are allowed with a larger plan.'
      ) : (
        <>
          They are allowed again on <PeriodTime at={until} />, or with a larger plan.
        </>
      )}
    </Notice>
  );
}
