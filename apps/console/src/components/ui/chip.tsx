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
  X,
} from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';

export type Tone = 'allow' | 'deny' | 'limit' | 'neutral';

const TONE_CLASSES = {
  allow: 'border-allow/30 bg-allow-soft text-allow-text',
  deny: 'border-deny/30 bg-deny-soft text-deny-text',
  limit: 'border-limit/30 bg-limit-soft text-limit-text',
  neutral: 'border-line bg-sunken text-muted',
} as const satisfies Record<Tone, string>;

export interface ChipProps {
  tone?: Tone;
  icon?: ComponentType<{ className?: string; 'aria-hidden'?: 'true' }>;
  children: ReactNode;
  className?: string;
}

/** A word with an icon and a colour, so that nothing depends on colour alone. */
export function Chip({ tone = 'neutral', icon: Icon, children, className }: ChipProps) {
  return (
    <span
      className={clsx(
        'inline-flex h-6 items-center gap-1 rounded border px-2 text-small font-medium whitespace-nowrap',
        TONE_CLASSES[tone],
        className,
      )}
    >
      {Icon && <Icon aria-hidden="true" className="size-3.5 shrink-0" />}
      {children}
    </span>
  );
}

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

const STATUS_LOOKS = {
  active: { children: 'Active', tone: 'allow', icon: Check },
  trialing: { children: 'Trial', tone: 'allow', icon: Hourglass },
  past_due: { children: 'Past due', tone: 'deny', icon: Clock },
  canceled: { children: 'Canceled', tone: 'deny', icon: CircleSlash },
  expired: { children: 'Expired', tone: 'limit', icon: Clock },
  ended: { children: 'Period ended', tone: 'deny', icon: Clock },
  suspended: { children: 'Suspended', tone: 'deny', icon: CirclePause },
  disabled: { children: 'Disabled', tone: 'limit', icon: CirclePause },
  revoked: { children: 'Revoked', tone: 'deny', icon: Ban },
  archived: { children: 'Archived', tone: 'neutral', icon: Archive },
} as const;

/** The status of a key, a customer or a subscription. */
export const StatusChip = ({ status }: { status: keyof typeof STATUS_LOOKS }) => (
  <Chip {...STATUS_LOOKS[status]} />
);

const METHOD_CLASSES: Readonly<Record<string, string>> = {
  GET: 'border-method-read/30 text-method-read',
  HEAD: 'border-method-read/30 text-method-read',
  POST: 'border-method-create/30 text-method-create',
  PUT: 'border-method-replace/30 text-method-replace',
  PATCH: 'border-method-change/30 text-method-change',
  DELETE: 'border-method-delete/30 text-method-delete',
};

/** An HTTP method, or `*` for any. */
export function MethodChip({ method }: { method: string }) {
  return (
    <span
      className={clsx(
        'inline-flex h-6 min-w-16 shrink-0 items-center justify-center rounded border bg-sunken px-1.5 font-mono text-small font-medium',
        METHOD_CLASSES[method] ?? 'border-line text-ink',
      )}
    >
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
