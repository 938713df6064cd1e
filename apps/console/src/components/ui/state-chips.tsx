import type { Outcome } from '@ceiba/contract/sets';
import { clsx } from 'clsx';
import {
  Archive,
  Ban,
  Check,
  CirclePause,
  CircleSlash,
  Clock,
  Gauge,
  Hourglass,
  Radar,
  X,
} from 'lucide-react';
import { Chip, type Tone } from './chip.tsx';

/** The label and the colour of each outcome, here and in charts. */
export const OUTCOME_LOOKS = {
  allowed: { label: 'Allowed', tone: 'allow' },
  missing_api_key: { label: 'Missing key', tone: 'deny' },
  invalid_api_key: { label: 'Invalid key', tone: 'deny' },
  revoked_api_key: { label: 'Revoked key', tone: 'deny' },
  archived_api_key: { label: 'Archived key', tone: 'deny' },
  expired_api_key: { label: 'Expired or disabled', tone: 'deny' },
  policy_no_match: { label: 'No matching policy', tone: 'deny' },
  inactive_subscription: { label: 'Inactive subscription', tone: 'deny' },
  quota_exceeded: { label: 'Quota exceeded', tone: 'limit' },
  rate_limited: { label: 'Rate limited', tone: 'limit' },
} as const satisfies Record<Outcome, { label: string; tone: Tone }>;

const OUTCOME_ICONS = { allow: Check, deny: X, limit: Gauge } as const;

export function OutcomeChip({ outcome }: { outcome: Outcome }) {
  const { label, tone } = OUTCOME_LOOKS[outcome];
  return (
    <Chip tone={tone} icon={OUTCOME_ICONS[tone]}>
      {label}
    </Chip>
  );
}

const TITLE_CLASSES = {
  allow: 'text-allow-text',
  deny: 'text-deny-text',
  limit: 'text-limit-text',
} as const;

/** The outcome that a page is about, as its largest text. */
export function OutcomeTitle({ outcome }: { outcome: Outcome }) {
  const { label, tone } = OUTCOME_LOOKS[outcome];
  const Icon = OUTCOME_ICONS[tone];
  return (
    <p className={clsx('flex items-center gap-2 text-heading font-semibold', TITLE_CLASSES[tone])}>
      <Icon aria-hidden="true" className="size-5 shrink-0" strokeWidth={2.5} />
      {label}
    </p>
  );
}

/** Beside the path of a call that was sent to find a way around the rules for paths. */
export const ProbeChip = () => <Chip icon={Radar}>Probe</Chip>;

const STATUS_LOOKS = {
  active: { children: 'Active', tone: 'normal' },
  trialing: { children: 'Trial', tone: 'normal', icon: Hourglass },
  past_due: { children: 'Past due', tone: 'alarm', icon: Clock },
  canceled: { children: 'Canceled', tone: 'alarm', icon: CircleSlash },
  expired: { children: 'Expired', tone: 'limit', icon: Clock },
  ended: { children: 'Period ended', tone: 'alarm', icon: Clock },
  suspended: { children: 'Suspended', tone: 'alarm', icon: CirclePause },
  disabled: { children: 'Disabled', tone: 'limit', icon: CirclePause },
  customer_suspended: { children: 'Customer suspended', tone: 'limit', icon: CirclePause },
  customer_past_due: { children: 'Customer past due', tone: 'limit', icon: Clock },
  customer_canceled: { children: 'Customer canceled', tone: 'limit', icon: CircleSlash },
  customer_period_ended: { children: 'Customer’s period ended', tone: 'limit', icon: Clock },
  used_up: { children: 'Quota used up', tone: 'alarm', icon: Gauge },
  revoked: { children: 'Revoked', tone: 'alarm', icon: Ban },
  archived: { children: 'Archived', tone: 'neutral', icon: Archive },
} as const;

type Status = keyof typeof STATUS_LOOKS;

interface StatusChipProps {
  status: Status;
  /** The status that nearly all of a list have, which only screen readers read. */
  hides?: Status;
  /** Without a colour, in a list whose colours mark what has to be done. */
  isQuiet?: boolean;
}

/** The status of a key, a customer or a subscription. */
export const StatusChip = ({ status, hides, isQuiet = false }: StatusChipProps) => (
  <Chip
    {...STATUS_LOOKS[status]}
    {...(isQuiet && { tone: 'neutral' })}
    isHidden={status === hides}
  />
);

/** An HTTP method, or `*` for any. Methods have no colour: that marks an outcome. */
export function MethodChip({ method }: { method: string }) {
  return (
    <span className="inline-flex min-w-13 shrink-0 items-center font-mono text-small font-semibold">
      {method === '*' ? (
        <abbr title="any method" className="no-underline">
          ANY
        </abbr>
      ) : (
        method
      )}
    </span>
  );
}
