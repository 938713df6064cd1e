import { type Limit, listLimits } from '@ceiba/domain';
import type { Customer, CustomerUse } from '@ceiba/schema';
import { ChangeLabel, Fact, Facts, MetadataFact } from '#components/ui/facts.tsx';
import { LabelChips } from '#components/ui/label-chips.tsx';
import { Name } from '#components/ui/name.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { countOpen, type LabelSet, mayCall } from '#lib/labels.ts';
import type { CustomerStep } from '../../_components/customer-dialog.tsx';
import { CustomerStepButton } from '../../_components/customer-dialogs.tsx';
import { targetOf } from '../../customer-state.ts';

export interface CustomerFactsProps {
  projectId: string;
  customer: Customer;
  use: CustomerUse;
  /** The labels of the project's policies. */
  sets: readonly LabelSet[];
  /** Whether the user's role permits changes. */
  mayChange: boolean;
}

/** What is set of a customer, each with the button that changes it. */
export function CustomerFacts({ projectId, customer, use, sets, mayChange }: CustomerFactsProps) {
  const { plan, subscriptionStatus, currentPeriodEnd, metadata, billingDay } = customer;
  const change = (step: CustomerStep, label: string) =>
    mayChange && (
      <CustomerStepButton
        opens={{ step, target: targetOf(customer) }}
        address={step}
        size="sm"
        variant="quiet"
      >
        <ChangeLabel>{label}</ChangeLabel>
      </CustomerStepButton>
    );
  return (
    <Facts>
      <Fact name="Plan" change={change('plan', 'Change plan')}>
        {plan === null ? (
          <span className="text-muted">none</span>
        ) : (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <TextLink href={`/projects/${projectId}/plans`}>
              <Name>{plan.name}</Name>
            </TextLink>
            {subscriptionStatus !== null && subscriptionStatus !== 'active' && (
              <StatusChip status={subscriptionStatus} />
            )}
            {currentPeriodEnd !== null && (
              <span className="text-muted">
                until <AbsoluteTime at={currentPeriodEnd} />
              </span>
            )}
          </span>
        )}
      </Fact>
      <Fact name="Limits" change={change('limits', 'Set limits')}>
        <Limits customer={customer} use={use} />
      </Fact>
      <Fact name="Active keys">
        {formatCount(use.activeKeys)}
        {use.activeKeyCap !== null && ` of ${formatCount(use.activeKeyCap)} that the plan allows`}
      </Fact>
      {use.planScopes !== null && (
        <Fact name="Scopes">
          <div className="flex flex-wrap items-center gap-2">
            <LabelChips labels={use.planScopes} />
            <span className="text-muted">{mayCall(countOpen(sets, use.planScopes))}</span>
          </div>
        </Fact>
      )}
      <Fact name="Billing day" change={change('billing_day', 'Set billing day')}>
        {billingDay === 1 ? 'the first of each month' : `the ${ordinal(billingDay)} of each month`}
      </Fact>
      <Fact name="External ID" change={change('describe', 'Edit name and IDs')}>
        <code className="text-small break-all">
          <Name>{customer.externalId}</Name>
        </code>
      </Fact>
      {Object.keys(metadata).length > 0 && <MetadataFact metadata={metadata} />}
      <Fact name="Created">
        <AbsoluteTime at={customer.createdAt} />
      </Fact>
    </Facts>
  );
}

/** The limits that apply, and which of them are the customer's own. */
function Limits({ customer, use }: Pick<CustomerFactsProps, 'customer' | 'use'>) {
  const limits = [use.rate, use.day?.quota ?? null, use.month.quota].filter(
    (limit) => limit !== null,
  );
  if (limits.length === 0) return <span className="text-muted">none of its own</span>;
  const hasOwn = listLimits((name) => customer[name]).some((value) => value !== null);
  return limits.map(limitText).join(', ') + (hasOwn ? '' : ', all from the plan');
}

const limitText = ({ owner, window, value }: Limit) =>
  `${formatCount(value)} per ${window}${owner === 'customer' ? ' (its own)' : ''}`;

const ENDINGS: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
const ordinal = (day: number) =>
  `${day}${Math.floor(day / 10) === 1 ? 'th' : (ENDINGS[day % 10] ?? 'th')}`;
