import type { DayUse, QuotaUse, Subscription } from '@ceiba/schema';
import { formatCount } from '../../lib/format.ts';
import { Notice } from '../ui/notice.tsx';
import { AbsoluteTime } from '../ui/time.tsx';

export interface NextDecisionProps {
  subscription: Subscription | null;
  use: QuotaUse;
  /** Absent where the subscription denies anyway. */
  day?: DayUse;
}

const ENDED = 'the period of the subscription ended';

/** Why the subscription denies every call, as a part of a sentence; null if it does not. */
export function whyInactive(subscription: Subscription | null): string | null {
  if (subscription === null) return 'the project has no subscription';
  const { admits, status } = subscription;
  if (admits) return null;
  if (status === 'past_due' || status === 'canceled') {
    return `the subscription is ${status.replace('_', ' ')}`;
  }
  return ENDED;
}

function stepOf(subscription: Subscription | null, inactive: string | null): string {
  if (subscription === null) return 'Choose a plan';
  return inactive === ENDED ? 'Set a later end, or none,' : 'Reactivate it';
}

/** Whether the subscription allows the next call, in one sentence. */
export function NextDecision({ subscription, use, day }: NextDecisionProps) {
  const inactive = whyInactive(subscription);
  if (subscription === null || inactive !== null) {
    const endedAt = subscription?.currentPeriodEnd;
    return (
      <Notice tone="error" title="All calls are denied" className="mb-4">
        <code>inactive_subscription</code>: {inactive}
        {inactive === ENDED && endedAt && (
          <>
            {' '}
            on <AbsoluteTime at={endedAt} />
          </>
        )}
        . {stepOf(subscription, inactive)} to allow calls again.
      </Notice>
    );
  }
  const { currentPeriodEnd, plan } = subscription;
  if (use.used >= plan.monthlyQuota) {
    return (
      <Notice tone="warning" title="All calls are denied" className="mb-4">
        <code>quota_exceeded</code>: all {formatCount(plan.monthlyQuota)} requests of this month are
        used. Calls are allowed again on <AbsoluteTime at={use.monthEnd} />, or with a larger plan.
      </Notice>
    );
  }
  if (plan.dailyQuota !== null && day && day.used >= plan.dailyQuota) {
    return (
      <Notice tone="warning" title="All calls are denied" className="mb-4">
        <code>quota_exceeded</code>: all {formatCount(plan.dailyQuota)} of today are used. Calls are
        allowed again on <AbsoluteTime at={day.dayEnd} />, or with a larger plan.
      </Notice>
    );
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
