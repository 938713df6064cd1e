import type { Customer, CustomerUse } from '@ceiba/schema';
import { CircleAlert, CirclePause, Gauge } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NoteListProps } from '#components/ui/note-list.tsx';
import { AbsoluteTime, PeriodTime } from '#components/ui/time.tsx';
import { type UsedUpQuota, usedUpText } from '#components/usage/used-up.ts';
import { stateOf } from '../../customer-state.ts';

type Note = NoteListProps['notes'][number];

/** What the page of a customer and that of one of its keys call the same things. */
const WORDS = {
  customer: {
    calls: 'All calls with its keys',
    suspended: 'Suspended',
    isSuspended: 'suspended',
    plan: 'its plan',
    quota: 'Its own quota',
  },
  key: {
    calls: 'All calls with this key',
    suspended: 'Its customer is suspended',
    isSuspended: 'its customer has been suspended',
    plan: 'the plan of its customer',
    quota: 'The quota of its customer',
  },
} as const;

/** The steps that help. A fragment with the name of one opens it on the page of the customer. */
export type HelpfulStep = 'resume' | 'plan' | 'limits';

/**
 * All that denies the next call of a customer, each with the step that helps; nothing if it is not denied.
 *
 * @param page whose page it is: the customer's, or that of one of its keys
 */
export function customerNotes(
  customer: Customer,
  use: CustomerUse,
  page: keyof typeof WORDS,
  stepOf: (step: HelpfulStep, label: string) => ReactNode,
): Note[] {
  const words = WORDS[page];
  const inactive = (because: ReactNode) => ({
    tone: 'alarm' as const,
    title: `${words.calls} are denied`,
    text: (
      <>
        <code>inactive_subscription</code>: {because}.
      </>
    ),
  });
  const { suspendedAt, currentPeriodEnd } = customer;
  const notes: Note[] = [];
  if (suspendedAt !== null) {
    notes.push({
      ...inactive(
        <>
          {words.isSuspended} since <AbsoluteTime at={suspendedAt} />
        </>,
      ),
      icon: CirclePause,
      short: words.suspended,
      step: stepOf('resume', 'Resume customer'),
    });
  }
  if (!use.admits) {
    const state = stateOf({ ...customer, suspendedAt: null }, use.admits).replace('_', ' ');
    notes.push({
      ...inactive(
        <>
          {words.plan} {state === 'ended' ? state : `is ${state}`}
          {state === 'ended' && currentPeriodEnd !== null && (
            <>
              {' '}
              on <AbsoluteTime at={currentPeriodEnd} />
            </>
          )}
        </>,
      ),
      icon: CircleAlert,
      short: `${words.plan[0]?.toUpperCase()}${words.plan.slice(1)} ${state}`,
      step: stepOf('plan', 'Renew its plan'),
    });
  }
  const full = [use.month, use.day].find(
    (period) => period?.quota && period.used >= period.quota.value,
  );
  if (full?.quota) {
    const { owner, value, window } = full.quota;
    notes.push({
      ...usedUpNote({ quota: value, window }, full.to, page === 'key' ? 'its customer' : undefined),
      short: `${words.quota} used up`,
      step:
        owner === 'customer'
          ? stepOf('limits', 'Raise its limits')
          : stepOf('plan', 'Choose a larger plan for it'),
    });
  }
  return notes;
}

/** A used-up quota. @param whose who used it, where the page is not about that */
export const usedUpNote = (
  used: UsedUpQuota,
  until: Date,
  whose?: string,
): Omit<Note, 'short' | 'step'> => ({
  tone: 'warning',
  icon: Gauge,
  title: 'Calls that cost something are denied',
  text: (
    <>
      <code>quota_exceeded</code>: {usedUpText(used, whose)}
      {used.quota > 0 && (
        <>
          , until <PeriodTime at={until} />
        </>
      )}
      .
    </>
  ),
});
