import { daysIn, USAGE_RANGE_DAYS_MAX, type UsageRange, usageStepFor } from '@ceiba/domain';
import {
  type CustomerTotal,
  type Database,
  readUsageByCustomer,
  readUsageSeries,
  type UsageSeries,
} from '@ceiba/schema';
import type { ReactNode } from 'react';
import { LinkTabs } from '#components/ui/link-tabs.tsx';
import { Name } from '#components/ui/name.tsx';
import { Section } from '#components/ui/section.tsx';
import { MethodChip } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { byTone } from '#components/usage/by-tone.ts';
import { DenialReasons } from '#components/usage/denial-reasons.tsx';
import type { KeptRequests } from '#components/usage/range-links.ts';
import { type Share, ShareList } from '#components/usage/share-list.tsx';
import { sum } from '#lib/format.ts';
import { type Query, textOf, withQuery } from '#lib/list-query.ts';
import { legible } from '#lib/text.ts';
import { calledOf } from '../../customers/customer-state.ts';

/** One of these lists is read and shown: the first, unless the address names another. */
const LISTS = [
  { by: 'reason', name: 'Denials' },
  { by: 'key', name: 'Keys' },
  { by: 'customer', name: 'Customers' },
  { by: 'policy', name: 'Policies' },
] as const;
type ListName = (typeof LISTS)[number]['by'];

export const listIn = (query: Query): ListName =>
  LISTS.find(({ by }) => by === textOf(query, 'by'))?.by ?? LISTS[0].by;

/** What a list needs beyond the decisions by outcome, which the chart shows as well. */
type CallList =
  | { by: 'reason' }
  | { by: 'key' | 'policy'; series: UsageSeries }
  | { by: 'customer'; customers: CustomerTotal[] }
  /** For a range that is too long for the list. */
  | { by: 'too_long'; daysMax: number };

/** Reads one of the lists, and none of the others. */
export async function readCallList(
  db: Database,
  by: ListName,
  usage: UsageRange & { projectId: string },
): Promise<CallList> {
  if (by === 'reason') return { by };
  if (by === 'customer') {
    const step = usageStepFor(by, usage);
    // Up to their most days, they are read by hour or by day.
    if (step === 'month') return { by: 'too_long', daysMax: USAGE_RANGE_DAYS_MAX.customer.day };
    const customers = await readUsageByCustomer(db, { ...usage, step, top: CUSTOMERS_SHOWN });
    return { by, customers };
  }
  const cut = by === 'key' ? 'api_key' : by;
  const step = usageStepFor(cut, usage);
  const daysMax = USAGE_RANGE_DAYS_MAX[cut][step];
  if (daysIn(usage) > daysMax) return { by: 'too_long', daysMax };
  const series = await readUsageSeries(db, { ...usage, by: cut, step });
  return { by, series };
}

/** As many as `readUsageSeries` reads keys. */
const CUSTOMERS_SHOWN = 8;

export interface CallListsProps {
  projectId: string;
  here: string;
  query: Query;
  list: CallList;
  /** By outcome. */
  decisions: UsageSeries;
  range: UsageRange;
  kept: KeptRequests;
  mayChangePolicies: boolean;
}

/** The chosen list of calls, below the tabs of all. */
export const CallLists = (props: CallListsProps) => (
  <>
    <CallTabs here={props.here} query={props.query} />
    <ChosenList {...props} />
  </>
);

/** The tabs of the lists. */
export const CallTabs = ({ here, query }: Pick<CallListsProps, 'here' | 'query'>) => (
  <LinkTabs
    label="Calls by"
    tabs={LISTS.map(({ by, name }) => ({
      name,
      current: by === listIn(query),
      href: withQuery(here, query, { by: by === LISTS[0].by ? undefined : by }),
    }))}
  />
);

function ChosenList(props: CallListsProps) {
  const { projectId, query, list, decisions, range, kept, mayChangePolicies } = props;
  const project = `/projects/${projectId}`;
  switch (list.by) {
    case 'reason':
      return <DenialReasons projectId={projectId} series={decisions} range={range} kept={kept} />;
    case 'too_long':
      return (
        <p className="py-8 text-muted">
          {LISTS.find(({ by }) => by === listIn(query))?.name} are shown for ranges of up to{' '}
          {list.daysMax} days.
        </p>
      );
    case 'customer':
      return (
        <CallsByCustomer
          project={project}
          customers={list.customers}
          allowed={byTone(decisions).totals.allow}
        />
      );
    case 'key':
      return (
        <CallsOfSeries
          title="Allowed calls by key"
          series={list.series}
          gone="A deleted key"
          nameOf={(name) => <Name>{name}</Name>}
          hrefOf={(apiKeyId) => `${project}/keys/${apiKeyId}`}
        />
      );
    case 'policy':
      return (
        <CallsOfSeries
          title="Allowed calls by policy"
          series={list.series}
          gone="A deleted policy"
          nameOf={(name) => <PolicyName>{name}</PolicyName>}
          hrefOf={(policyId) => `${project}/policies${mayChangePolicies ? `/${policyId}` : ''}`}
        />
      );
  }
}

interface CallsOfSeriesProps {
  title: string;
  series: UsageSeries;
  /** Shown instead of a name that no longer exists. */
  gone: string;
  nameOf: (name: string) => ReactNode;
  hrefOf: (id: string) => string;
}

const CallsOfSeries = ({ title, series, gone, nameOf, hrefOf }: CallsOfSeriesProps) => (
  <AllowedCalls
    title={title}
    description="The most frequent first."
    shares={series.lines.map(({ id, label, total, counts }) => ({
      id,
      count: total,
      counts,
      name:
        label === null ? (
          <span className="text-muted">{gone}</span>
        ) : (
          <ShareLink href={hrefOf(id)} title={label}>
            {nameOf(label)}
          </ShareLink>
        ),
    }))}
    rest={{ name: 'All others', count: series.rest.total, counts: series.rest.counts }}
    none="No call was allowed in this range."
  />
);

interface CallsByCustomerProps {
  /** The address of the project. */
  project: string;
  customers: readonly CustomerTotal[];
  /** The allowed calls of all keys. */
  allowed: number;
}

/** The customers whose keys call most. */
const CallsByCustomer = ({ project, customers, allowed }: CallsByCustomerProps) => (
  <AllowedCalls
    title="Allowed calls by customer"
    description="By the keys that each customer has now."
    shares={customers.map(({ customerId, total, ...name }) => ({
      id: customerId,
      count: total,
      name: (
        <ShareLink href={`${project}/customers/${customerId}`} title={name.externalId}>
          <Name>{calledOf(name)}</Name>
        </ShareLink>
      ),
    }))}
    rest={{
      name: 'All others, and keys without a customer',
      count: allowed - sum(customers.map(({ total }) => total)),
    }}
    none="No call with a key of a customer was allowed in this range."
  />
);

type AllowedShare = Omit<Share, 'tone'>;

interface AllowedCallsProps {
  title: string;
  description: string;
  shares: readonly AllowedShare[];
  /** The calls of what has no line of its own. */
  rest: Omit<AllowedShare, 'id'>;
  /** Shown instead of an empty list. */
  none: string;
}

function AllowedCalls({ title, description, shares, rest, none }: AllowedCallsProps) {
  if (shares.length === 0) return <p className="py-8 text-muted">{none}</p>;
  const others = { ...rest, id: 'rest', name: <span className="text-muted">{rest.name}</span> };
  const all = [...shares, ...(rest.count > 0 ? [others] : [])];
  return (
    <Section title={title} description={description} className="border-transparent pt-1">
      <ShareList
        label={title}
        shares={all.map((share): Share => ({ ...share, tone: 'allow' }))}
        total={sum(all.map(({ count }) => count))}
      />
    </Section>
  );
}

const ShareLink = ({ title, ...link }: { href: string; title: string; children: ReactNode }) => (
  <TextLink title={legible(title)} look="quiet" className="block truncate" {...link} />
);

/** A policy by its method and its pattern, which a space separates. */
function PolicyName({ children: name }: { children: string }) {
  const [method = '', pathPattern] = name.split(' ');
  return (
    <>
      <MethodChip method={method} /> <code className="ml-1 text-small">{pathPattern}</code>
    </>
  );
}
