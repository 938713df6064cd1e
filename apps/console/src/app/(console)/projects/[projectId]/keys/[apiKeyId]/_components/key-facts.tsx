import { type Labels, type Limit, scopesOfApiKey } from '@ceiba/domain';
import type { ApiKeyRow } from '@ceiba/schema';
import { ChangeLabel, Fact, Facts, MetadataFact } from '#components/ui/facts.tsx';
import { LabelChips } from '#components/ui/label-chips.tsx';
import { Name } from '#components/ui/name.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AbsoluteTime, LastUse, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { countOpen, type LabelSet, mayCall, WITH_PLAN } from '#lib/labels.ts';
import { legible } from '#lib/text.ts';
import { calledOf } from '../../../customers/customer-state.ts';
import type { KeyStep } from '../../_components/key-dialog.tsx';
import { KeyStepButton } from '../../_components/key-dialogs.tsx';
import type { KeyCustomer } from '../../key-customer.ts';
import { targetOf } from '../../key-state.ts';

export interface KeyFactsProps {
  projectId: string;
  apiKey: ApiKeyRow;
  /** Null for none. */
  customer: KeyCustomer | null;
  /** The labels of the project's policies. */
  sets: readonly LabelSet[];
  /** The project's rate for keys without their own; null if only the plan limits them. */
  defaultRate: number | null;
  /** Whether the user's role permits changes. */
  mayChange: boolean;
}

/** The times, limits and note of a key, each with the button that changes it. */
export function KeyFacts(props: KeyFactsProps) {
  const { projectId, apiKey, customer, sets, defaultRate, mayChange } = props;
  const change = (step: KeyStep, label: string) =>
    mayChange && (apiKey.status === 'active' || step === 'describe') ? (
      <KeyStepButton
        opens={{ step, target: targetOf(apiKey) }}
        address={step}
        size="sm"
        variant="quiet"
      >
        <ChangeLabel>{label}</ChangeLabel>
      </KeyStepButton>
    ) : null;
  const { previous } = apiKey;
  return (
    <Facts>
      {previous && apiKey.status === 'active' && (
        <Fact name="Old secret" change={change('end_previous', 'End it now')}>
          <code className="text-small">{previous.keyPrefix}…</code> until{' '}
          <AbsoluteTime at={previous.validUntil} />,{' '}
          <LastUse at={previous.lastUsedAt} none="not used since" />
        </Fact>
      )}
      {apiKey.isImported && (
        <Fact name="Secret">
          imported: its strength is its maker’s
          {mayChange && apiKey.status === 'active' && ', until you replace it'}
        </Fact>
      )}
      <Fact name="Customer" change={change('move', 'Move key')}>
        {customer === null ? (
          <span className="text-muted">none</span>
        ) : (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <TextLink href={`/projects/${projectId}/customers/${customer.customerId}`}>
              <Name>{calledOf(customer)}</Name>
            </TextLink>
            <StatusChip status={customer.state} hides="active" />
          </span>
        )}
      </Fact>
      <Fact name="Created">
        <AbsoluteTime at={apiKey.createdAt} />
      </Fact>
      <Fact name="Last used">
        {apiKey.lastUsedAt === null ? 'never' : <RelativeTime at={apiKey.lastUsedAt} />}
      </Fact>
      <Fact name="Used this month">
        {formatCount(apiKey.usedThisMonth)}
        {apiKey.monthlyQuota !== null && ` of ${formatCount(apiKey.monthlyQuota)}`}
      </Fact>
      {apiKey.dailyQuota !== null && (
        <Fact name="Used today">
          {formatCount(apiKey.usedToday)} of {formatCount(apiKey.dailyQuota)}
        </Fact>
      )}
      <Ended name="Revoked" at={apiKey.revokedAt} />
      <Ended name="Archived" at={apiKey.archivedAt} />
      {apiKey.status === 'active' && <Ended name="Disabled" at={apiKey.disabledAt} />}
      <Fact name="Expires" change={change('expiry', 'Set expiry')}>
        {apiKey.expiresAt === null ? 'never' : <AbsoluteTime at={apiKey.expiresAt} />}
      </Fact>
      <Fact name="Scopes" change={change('scopes', 'Set scopes')}>
        <Scopes
          scopes={apiKey.scopes ?? null}
          planScopes={customer?.use.planScopes ?? null}
          sets={sets}
        />
      </Fact>
      <Fact name="Limits" change={change('limits', 'Set limits')}>
        {limitsText(apiKey, defaultRate, customer !== null)}
      </Fact>
      <Fact name="Note" change={change('describe', 'Edit name and note')}>
        {apiKey.note === '' ? (
          <span className="text-muted">none</span>
        ) : (
          <span className="whitespace-pre-line">{legible(apiKey.note)}</span>
        )}
      </Fact>
      <MetadataFact metadata={apiKey.metadata ?? {}} change={change('metadata', 'Edit metadata')} />
    </Facts>
  );
}

interface ScopesProps {
  scopes: Labels;
  /** Of the plan of the key's customer. */
  planScopes: Labels;
  sets: readonly LabelSet[];
}

/** Which policies a key may call: both its own scopes and those of its customer's plan open them. */
function Scopes({ scopes, planScopes, sets }: ScopesProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {scopes === null ? 'every policy' : <LabelChips labels={scopes} />}
      {scopes?.length === 0 && 'none'}
      {(scopes !== null || planScopes !== null) && (
        <span className="text-muted">
          {mayCall(countOpen(sets, scopes, planScopes))}
          {planScopes !== null && WITH_PLAN}
        </span>
      )}
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

function limitsText(apiKey: ApiKeyRow, defaultRate: number | null, hasCustomer: boolean): string {
  const own = scopesOfApiKey(apiKey, defaultRate)
    .flatMap(({ rate, quota }) => [rate, quota])
    .flatMap((limit) => (limit === null ? [] : [textOf(limit)]));
  const others = hasCustomer ? 'those of the plan and of its customer' : 'those of the plan';
  return own.length === 0 ? `only ${others}` : `${own.join(', ')}, and ${others}`;
}

const textOf = ({ owner, window, value }: Limit) =>
  `${formatCount(value)} per ${window}${owner === 'project_default' ? ' (project default)' : ''}`;
