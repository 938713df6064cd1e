import type { QuotaUse, Subscription } from '@ceiba/schema';
import { formatCount } from '../../lib/format.ts';
import { Notice } from '../ui/notice.tsx';
import { AbsoluteTime } from '../ui/time.tsx';

export interface NextDecisionProps {
  subscription: Subscription | null;
  use: QuotaUse;
}

/** What the subscription does to the very next call, in one sentence. */
export function NextDecision({ subscription, use }: NextDecisionProps) {
  if (subscription === null) {
    return (
      <Notice tone="fault" title="The next call is denied." className="mb-8">
        There is no subscription: <code>inactive_subscription</code>. Choose a plan below.
      </Notice>
    );
  }
  const { admits, currentPeriodEnd, status, plan } = subscription;
  if (!admits) {
    return (
      <Notice tone="fault" title="The next call is denied." className="mb-8">
        <code>inactive_subscription</code>:{' '}
        {status === 'past_due' || status === 'canceled' ? (
          `the subscription is ${status.replace('_', ' ')}. Reactivate it below to allow calls again.`
        ) : (
          <>
            its period ended
            {currentPeriodEnd && (
              <>
                {' '}
                on <AbsoluteTime at={currentPeriodEnd} />
              </>
            )}
            . Set a later end below, or none.
          </>
        )}
      </Notice>
    );
  }
  if (use.used >= plan.monthlyQuota) {
    return (
      <Notice tone="warning" title="The next call is denied." className="mb-8">
        <code>quota_exceeded</code>: all {formatCount(plan.monthlyQuota)} requests of this month are
        used. Calls are allowed again on <AbsoluteTime at={use.monthEnd} />, or with a larger plan.
      </Notice>
    );
  }
  return (
    <Notice
      tone="done"
      title="Calls are allowed if the key and a policy permit them"
      className="mb-8"
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
