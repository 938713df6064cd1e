import type { Customer, CustomerUse } from '@ceiba/schema';
import { CircleAlert, CirclePause, Gauge } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NoteListProps } from '#components/ui/note-list.tsx';
import { AbsoluteTime, PeriodTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import type { CustomerStep } from '../../_components/customer-dialog.tsx';
import { CustomerStepButton } from '../../_components/customer-dialogs.tsx';
import { stateOf, targetOf } from '../../customer-state.ts';

/** Why the next call of a customer is denied, with the step that allows it; nothing if it is not. */
export function customerNotes(
  customer: Customer,
  use: CustomerUse,
  mayChange: boolean,
): NoteListProps['notes'] {
  const stepOf = (step: CustomerStep, label: string, address?: string) =>
    mayChange && (
      <CustomerStepButton
        opens={{ step, target: targetOf(customer) }}
        address={address}
        size="sm"
        variant="secondary"
      >
        {label}
      </CustomerStepButton>
    );
  const inactive = (because: ReactNode) => ({
    tone: 'alarm' as const,
    title: 'All calls with its keys are denied',
    text: (
      <>
        <code>inactive_subscription</code>: {because}.
      </>
    ),
  });
  const { suspendedAt, currentPeriodEnd } = customer;
  if (suspendedAt !== null) {
    return [
      {
        ...inactive(
          <>
            suspended since <AbsoluteTime at={suspendedAt} />
          </>,
        ),
        icon: CirclePause,
        short: 'Suspended',
        step: stepOf('resume', 'Resume customer', 'resume'),
      },
    ];
  }
  if (!use.admits) {
    const state = stateOf(customer, use.admits).replace('_', ' ');
    return [
      {
        ...inactive(
          <>
            the plan {state === 'ended' ? state : `is ${state}`}
            {state === 'ended' && currentPeriodEnd !== null && (
              <>
                {' '}
                on <AbsoluteTime at={currentPeriodEnd} />
              </>
            )}
          </>,
        ),
        icon: CircleAlert,
        short: `Plan ${state}`,
        step: stepOf('plan', 'Renew its plan'),
      },
    ];
  }
  const full = [use.month, use.day].find(
    (period) => period?.quota && period.used >= period.quota.value,
  );
  if (!full?.quota) return [];
  const { owner, value, window } = full.quota;
  return [
    {
      tone: 'warning',
      icon: Gauge,
      short: 'Its quota used up',
      title: 'Calls that cost something are denied',
      text: (
        <>
          <code>quota_exceeded</code>: all {formatCount(value)} of this {window} are used, until{' '}
          <PeriodTime at={full.to} />.
        </>
      ),
      step:
        owner === 'customer'
          ? stepOf('limits', 'Raise its limits')
          : stepOf('plan', 'Choose a larger plan'),
    },
  ];
}
