import { type Limit, scopesOfApiKey } from '@ceiba/domain';
import type { ApiKeyRow } from '@ceiba/schema';
import type { ReactNode } from 'react';
import { AbsoluteTime, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import type { KeyStep } from '../../_components/key-dialog.tsx';
import { KeyStepButton } from '../../_components/key-step-button.tsx';
import { targetOf } from '../../key-state.ts';

export interface KeyFactsProps {
  apiKey: ApiKeyRow;
  /** The project's rate for keys without their own; null if only the plan limits them. */
  defaultRate: number | null;
  /** Whether the user's role permits changes. */
  mayChange: boolean;
}

/** The times, limits and note of a key, each with the button that changes it. */
export function KeyFacts({ apiKey, defaultRate, mayChange }: KeyFactsProps) {
  const change = (step: KeyStep, label: string) =>
    mayChange && (apiKey.status === 'active' || step === 'describe') ? (
      <KeyStepButton step={step} target={targetOf(apiKey)} size="sm">
        {label}
      </KeyStepButton>
    ) : null;
  return (
    <dl className="panel numbers divide-y">
      <Fact name="Created">
        <AbsoluteTime at={apiKey.createdAt} />
      </Fact>
      <Fact name="Last used">
        {apiKey.lastUsedAt === null ? 'never' : <RelativeTime at={apiKey.lastUsedAt} />}
      </Fact>
      <Fact name="This month">{formatCount(apiKey.usedThisMonth)} allowed requests</Fact>
      <Ended name="Revoked" at={apiKey.revokedAt} />
      <Ended name="Archived" at={apiKey.archivedAt} />
      {apiKey.status === 'active' && <Ended name="Disabled" at={apiKey.disabledAt} />}
      <Fact name="Expires" change={change('expiry', 'Set expiry')}>
        {apiKey.expiresAt === null ? 'never' : <AbsoluteTime at={apiKey.expiresAt} />}
      </Fact>
      <Fact name="Limits" change={change('limits', 'Set limits')}>
        {limitsText(apiKey, defaultRate)}
      </Fact>
      <Fact name="Note" change={change('describe', 'Edit name and note')}>
        {apiKey.note === '' ? (
          <span className="text-muted">none</span>
        ) : (
          <span className="whitespace-pre-line">{legible(apiKey.note)}</span>
        )}
      </Fact>
    </dl>
  );
}

function Fact({
  name,
  change,
  children,
}: {
  name: string;
  change?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="grid min-h-12 grid-cols-[6rem_minmax(0,1fr)] items-center gap-x-4 gap-y-1 px-(--inset) py-2 sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <dt className="self-start py-1 text-muted">{name}</dt>
      <dd className="min-w-0 py-1 wrap-anywhere">{children}</dd>
      {change && <dd className="max-sm:col-start-2">{change}</dd>}
    </div>
  );
}

function Ended({ name, at }: { name: string; at: string | null }) {
  return (
    at !== null && (
      <Fact name={name}>
        <AbsoluteTime at={at} />
      </Fact>
    )
  );
}

function limitsText(apiKey: ApiKeyRow, defaultRate: number | null): string {
  const own = scopesOfApiKey(apiKey, defaultRate)
    .flatMap(({ rate, quota }) => [rate, quota])
    .flatMap((limit) => (limit === null ? [] : [textOf(limit)]));
  return own.length === 0 ? 'only those of the plan' : `${own.join(', ')}, and those of the plan`;
}

const textOf = ({ owner, window, value }: Limit) =>
  `${formatCount(value)} per ${window}${owner === 'project_default' ? ' (project default)' : ''}`;
