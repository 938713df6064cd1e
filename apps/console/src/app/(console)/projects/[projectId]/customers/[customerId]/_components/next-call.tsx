import type { Customer, CustomerUse } from '@ceiba/schema';
import { Notice } from '#components/ui/notice.tsx';
import { AbsoluteTime, PeriodTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';

export interface NextCallProps {
  customer: Customer;
  use: CustomerUse;
}

/** Why the next call of the customer is denied; nothing if it is not. */
export function NextCall({ customer, use }: NextCallProps) {
  const { suspendedAt, subscriptionStatus, currentPeriodEnd } = customer;
  if (suspendedAt !== null) {
    return (
      <Denied reason="inactive_subscription">
        suspended since <AbsoluteTime at={suspendedAt} />. Resume the customer to allow its calls
        again.
      </Denied>
    );
  }
  if (!use.admits) {
    return (
      <Denied reason="inactive_subscription">
        {subscriptionStatus === 'past_due' || subscriptionStatus === 'canceled' ? (
          `the plan is ${subscriptionStatus.replace('_', ' ')}. Change its status to allow calls again.`
        ) : (
          <>
            the plan ended{' '}
            {currentPeriodEnd && (
              <>
                on <AbsoluteTime at={currentPeriodEnd} />
              </>
            )}
            . Set a later end, or none, to allow calls again.
          </>
        )}
      </Denied>
    );
  }
  const full = [use.month, use.day].find(
    (period) => period?.quota && period.used >= period.quota.value,
  );
  if (!full?.quota) return null;
  return (
    <Notice tone="warning" title="Calls that cost something are denied" className="mb-4">
      <code>quota_exceeded</code>: all {formatCount(full.quota.value)} of this {full.quota.window}{' '}
      are used. Calls are allowed again on <PeriodTime at={full.to} />, or with a larger plan.
    </Notice>
  );
}

const Denied = ({ reason, children }: { reason: string; children: React.ReactNode }) => (
  <Notice tone="error" title="All calls with its keys are denied" className="mb-4">
    <code>{reason}</code>: {children}
  </Notice>
);
