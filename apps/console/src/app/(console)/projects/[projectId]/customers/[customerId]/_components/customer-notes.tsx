import type { Customer, CustomerUse } from '@ceiba/schema';
import { CircleAlert, CirclePause, Gauge } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NoteListProps } from '#components/ui/note-list.tsx';
import { AbsoluteTime, PeriodTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import type { CustomerStep } from '../../_components/customer-dialog.tsx';
import { CustomerStepButton } from '../../_components/customer-dialogs.tsx';
import { stateOf, targetOf } from '../../customer-state.ts';

type CustomerNote = NoteListProps['notes'][number];

/** All that denies the next call of a customer, each with the step that helps; nothing if it is not denied. */
export function customerNotes(
  customer: Customer,
  use: CustomerUse,
  mayChange: boolean,
): CustomerNote[] {
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
  const notes: CustomerNote[] = [];
  if (suspendedAt !== null) {
    notes.push({
      ...inactive(
        <>
          suspended since <AbsoluteTime at={suspendedAt} />
        </>,
      ),
      icon: CirclePause,
      short: 'Suspended',
      step: stepOf('resume', 'Resume customer', 'resume'),
    });
  }
  if (!use.admits) {
    const state = stateOf({ ...customer, suspendedAt: null }, use.admits).replace('_', ' ');
    notes.push({
      ...inactive(
        <>
          its plan {state === 'ended' ? state : `is ${state}`}
          {state === 'ended' && currentPeriodEnd !== null && (
            <>
              {' '}
              on <AbsoluteTime at={currentPeriodEnd} />
            </>
          )}
        </>,
      ),
      icon: CircleAlert,
      short: `Its plan ${state}`,
      step: stepOf('plan', 'Renew its plan'),
    });
  }
  const full = [use.month, use.day].find(
    (period) => period?.quota && period.used >= period.quota.value,
  );
  if (full?.quota) {
    const { owner, value, window } = full.quota;
    notes.push({
      tone: 'warning',
      icon: Gauge,
      short: 'Its own quota used up',
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
          : stepOf('plan', 'Choose a larger plan for it'),
    });
  }
  return notes.map((note) => ({ ...note, isWhole: true }));
}
