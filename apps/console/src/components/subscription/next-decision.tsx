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

/** Whether the subscription allows the next call, in one sentence. */
export function NextDecision({ subscription, use, day }: NextDecisionProps) {
  if (subscription === null) {
    return (
      <Notice tone="error" title="All calls are denied" className="mb-4">
        <code>inactive_subscription</code>: the project has no subscription. Choose a plan.
      </Notice>
    );
  }
  const { admits, currentPeriodEnd, status, plan } = subscription;
  if (!admits) {
    return (
      <Notice tone="error" title="All calls are denied" className="mb-4">
        <code>inactive_subscription</code>:{' '}
        {status === 'past_due' || status === 'canceled' ? (
          `the subscription is ${status.replace('_', ' ')}. Reactivate it to allow calls again.`
        ) : (
          <>
            its period ended
            {currentPeriodEnd && (
              <>
                {' '}
                on <AbsoluteTime at={currentPeriodEnd} />
              </>
            )}
            . Set a later end, or none, to allow calls again.
          </>
        )}
      </Notice>
    );
  }
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
