import type { ProjectRight } from '@ceiba/domain';
import { KEY_EXPIRES_SOON_DAYS } from '@ceiba/domain/constants';
import type { LapseReason, Problem } from '@ceiba/schema';
import { CalendarClock, CircleAlert, Gauge, TrendingUp } from 'lucide-react';
import { formatCount, formatShare, plural } from '../../lib/format.ts';
import { requestsBetween, requestsHref } from '../../lib/requests-href.ts';
import { INACTIVE } from '../subscription/next-decision.tsx';
import { Name } from '../ui/name.tsx';
import type { Note } from '../ui/note-list.tsx';
import { RelativeHour, RelativeTime } from '../ui/time.tsx';
import { usedUpText } from '../usage/used-up.ts';

export interface ProblemLook extends Note {
  /** The one step that helps, for who has the right. */
  step: { label: string; href: string; right: ProjectRight };
}

type Of<Kind extends Problem['kind']> = Extract<Problem, { kind: Kind }>;

/** The words for a problem of a project, and the step that helps. */
export function lookOf(projectId: string, problem: Problem): ProblemLook {
  const here = `/projects/${projectId}`;
  const subscription = { href: `${here}/subscription`, right: 'change_subscription' } as const;
  const largerPlan = {
    ...subscription,
    href: `${subscription.href}#plan`,
    label: 'Choose a larger plan',
  };
  switch (problem.kind) {
    case 'subscription_inactive': {
      const { because } = INACTIVE[problem.reason];
      return {
        tone: 'alarm',
        icon: CircleAlert,
        short: 'Subscription inactive',
        title: 'All calls are denied',
        text: (
          <>
            <code>inactive_subscription</code>: {because}.
          </>
        ),
        step: { ...subscription, label: 'Go to the subscription' },
      };
    }
    case 'quota_used_up':
      return {
        tone: 'alarm',
        icon: Gauge,
        short: 'Quota used up',
        title: 'Calls that cost something are denied',
        text: (
          <>
            <code>quota_exceeded</code>: {usedUpText(problem)}.
          </>
        ),
        step: largerPlan,
      };
    case 'unusual_denials':
      return unusual(projectId, problem);
    case 'customers_lapsed':
      return lapsed(projectId, problem);
    case 'customer_quota_used_up':
    case 'api_key_quota_used_up':
      return usedUp(here, problem);
    case 'api_keys_expiring':
      return expiring(here, problem);
    case 'quota_nearly_used': {
      const share = formatShare(problem.used, problem.quota);
      return {
        tone: 'warning',
        icon: Gauge,
        short: `${share} of the quota used`,
        title: `${share} of the quota of this ${problem.window} is used`,
        text: `${formatCount(problem.used)} of ${formatCount(problem.quota)} requests.`,
        step: largerPlan,
      };
    }
  }
}

function unusual(
  projectId: string,
  { status, count, usual, hour }: Of<'unusual_denials'>,
): ProblemLook {
  return {
    tone: 'alarm',
    icon: TrendingUp,
    short: `Many denied with ${status}`,
    title: `More calls than usual are denied with ${status}`,
    text: (
      <>
        {formatCount(count)} calls <RelativeHour at={hour} />;{' '}
        {usual === 0 ? 'hardly any are' : `about ${formatCount(usual)} are`} usual in an hour at
        this time of day.
      </>
    ),
    step: {
      label: 'Show these requests',
      href: requestsBetween(projectId, { from: hour }, { outcome: String(status) }),
      right: 'view',
    },
  };
}

const LAPSED = {
  past_due: 'is past due',
  canceled: 'is canceled',
  period_ended: 'is past the end of its period',
} as const satisfies Record<LapseReason, string>;

function lapsed(
  projectId: string,
  { count, id, name, reason }: Of<'customers_lapsed'>,
): ProblemLook {
  const customers = plural(count, 'customer');
  const isOne = count === 1;
  return {
    tone: 'warning',
    icon: CircleAlert,
    short: `${customers} with a lapsed plan`,
    title: `${customers} still ${isOne ? 'calls' : 'call'} with a lapsed plan`,
    text: (
      <>
        <code>inactive_subscription</code>: <Name>{name}</Name> {LAPSED[reason]}
        {isOne ? '' : `, and ${formatCount(count - 1)} more`}. Calls were denied in the last hour.
      </>
    ),
    step: isOne
      ? {
          label: 'Renew its plan',
          href: `/projects/${projectId}/customers/${id}#plan`,
          right: 'change_customers',
        }
      : {
          label: 'Show whose calls',
          href: requestsHref(projectId, { reason: 'inactive_subscription' }),
          right: 'view',
        },
  };
}

const HOLDERS = {
  customer_quota_used_up: {
    noun: 'customer',
    list: 'customers',
    right: 'change_customers',
  },
  api_key_quota_used_up: { noun: 'key', list: 'keys', right: 'change_keys' },
} as const;

function usedUp(
  here: string,
  { kind, count, id, name }: Of<'customer_quota_used_up' | 'api_key_quota_used_up'>,
): ProblemLook {
  const { noun, list, right } = HOLDERS[kind];
  const holders = plural(count, noun);
  const isOne = count === 1;
  return {
    tone: 'warning',
    icon: Gauge,
    short: `${holders} at ${isOne ? 'its' : 'their'} quota`,
    title: `${holders} ${isOne ? 'has' : 'have'} used up ${isOne ? 'its' : 'their'} quota`,
    text: (
      <>
        <Name>{name}</Name>
        {isOne ? '' : ` and ${formatCount(count - 1)} more`}: calls were denied in the last hour.
      </>
    ),
    step: isOne
      ? { label: `Open the ${noun}`, href: `${here}/${list}/${id}`, right }
      : { label: `Open the ${list}`, href: `${here}/${list}`, right },
  };
}

function expiring(
  here: string,
  { count, id, name, firstAt }: Of<'api_keys_expiring'>,
): ProblemLook {
  const isOne = count === 1;
  return {
    tone: 'warning',
    icon: CalendarClock,
    short: `${plural(count, 'key')} ${isOne ? 'expires' : 'expire'} soon`,
    title: `${plural(count, 'key')} ${isOne ? 'expires' : 'expire'} within ${KEY_EXPIRES_SOON_DAYS} days`,
    text: (
      <>
        <Name>{name}</Name> {isOne ? 'expires' : 'is the first,'} <RelativeTime at={firstAt} />.
      </>
    ),
    step: isOne
      ? { label: 'Set a later expiry', href: `${here}/keys/${id}#expiry`, right: 'change_keys' }
      : { label: 'Open these keys', href: `${here}/keys?hint=expires_soon`, right: 'change_keys' },
  };
}
