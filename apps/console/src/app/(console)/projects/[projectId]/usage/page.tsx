import { daysIn, type UsageCut, type UsageRange, usageStepFor } from '@ceiba/domain';
import {
  type CustomerTotal,
  readRetention,
  readUsageByCustomer,
  readUsageSeries,
  type UsageSeries,
} from '@ceiba/schema';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { CsvLink } from '#components/ui/csv-link.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { MethodChip } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { byTone } from '#components/usage/by-tone.ts';
import { DenialReasons } from '#components/usage/denial-reasons.tsx';
import { FirstCall } from '#components/usage/first-call.tsx';
import { OutcomeChart } from '#components/usage/outcome-chart.tsx';
import { barHref, keptNote, keptRequests } from '#components/usage/range-links.ts';
import { RangePicker } from '#components/usage/range-picker.tsx';
import { type Share, ShareList } from '#components/usage/share-list.tsx';
import { zoneNote } from '#components/usage/steps.ts';
import {
  CSV_DAYS_MAX,
  comparedRange,
  parseUsageQuery,
  type UsageQuery,
} from '#components/usage/usage-query.ts';
import { plural, sum } from '#lib/format.ts';
import { type PageProps, withQuery } from '#lib/list-query.ts';
import { legible } from '#lib/text.ts';
import { unlessTooSlow, withSlowDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { viewerZone } from '#server/time-zone.ts';
import { env } from '../../../../../env.ts';
import { calledOf } from '../customers/customer-state.ts';

export const metadata: Metadata = { title: 'Usage' };

export default async function UsagePage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const query = await searchParams;
  const usage = parseUsageQuery(query, new Date());
  const here = `/projects/${projectId}/usage`;
  const series = await readSeries(projectId, usage);
  if (series === 'too_slow') {
    return (
      <Column>
        <PageHeader title="Usage" />
        <RangePicker here={here} query={query} usage={usage} />
        <Notice tone="warning" title="This range takes too long to add up now">
          Past days are added up in the background. Choose a shorter range, or try again in an hour.
        </Notice>
      </Column>
    );
  }
  const { decisions, previous, keys, customers, policies, retention } = series;
  const kept = keptRequests(retention.decisionDays, new Date());
  const leadsOn = decisions.step !== 'hour' || usage.to > kept.since;
  const timeZone = await viewerZone();
  return (
    <Column>
      <PageHeader
        title="Usage"
        guide="usage"
        description={
          <>
            {plural(decisions.total, 'decision')} in this range.{' '}
            {zoneNote(decisions.step, timeZone)} As of <AbsoluteTime at={new Date()} />.
          </>
        }
        actions={<CsvOfRange href={withQuery(`${here}/csv`, query, {})} usage={usage} />}
      />
      <RangePicker here={here} query={query} usage={usage} />
      {decisions.total === 0 ? (
        <NoDecisions projectId={projectId} />
      ) : (
        <>
          <Section
            title="Decisions by outcome"
            // The line of the ranges is above it.
            className="border-transparent"
            description={`${leadsOn ? 'Select a bar to look closer. ' : ''}${keptNote(kept, usage)}`}
          >
            <OutcomeChart
              series={decisions}
              {...(previous?.total && { previous: byTone(previous).totals })}
              timeZone={timeZone}
              hrefOf={barHref({ projectId, here, query, step: decisions.step, kept })}
            />
          </Section>
          <DenialReasons projectId={projectId} series={decisions} range={usage} kept={kept} />
          <AllowedCalls
            title="Allowed calls by key"
            series={keys}
            gone="A deleted key"
            nameOf={(name) => <Name>{name}</Name>}
            hrefOf={(apiKeyId) => `/projects/${projectId}/keys/${apiKeyId}`}
          />
          <CallsByCustomer projectId={projectId} customers={customers} total={keys.total} />
          <AllowedCalls
            title="Allowed calls by policy"
            series={policies}
            gone="A deleted policy"
            nameOf={(name) => <PolicyName>{name}</PolicyName>}
            hrefOf={(policyId) =>
              `/projects/${projectId}/policies${may('change_policies') ? `/${policyId}` : ''}`
            }
          />
        </>
      )}
    </Column>
  );
}

/**
 * @returns `too_slow` if the database answers, but not in time: too many hours are not added up yet
 */
function readSeries(projectId: string, usage: UsageQuery) {
  const { from, to } = usage;
  const compared = comparedRange(usage);
  return withSlowDatabase(async (db) => {
    const read = (by: UsageCut, range: UsageRange = { from, to }) =>
      readUsageSeries(db, { projectId, by, step: usageStepFor(by, usage), ...range });
    const step = usageStepFor('api_key', usage);
    const [decisions, previous, keys, customers, policies, retention] = await Promise.all([
      read('outcome'),
      compared && read('outcome', compared),
      read('api_key'),
      // Months of customers begin on different days.
      step === 'month'
        ? null
        : readUsageByCustomer(db, { projectId, step, top: CUSTOMERS_SHOWN, from, to }),
      read('policy'),
      readRetention(db),
    ]);
    return { decisions, previous, keys, customers, policies, retention };
  }).catch(unlessTooSlow);
}

function CsvOfRange({ href, usage }: { href: string; usage: UsageQuery }) {
  if (daysIn(usage) > CSV_DAYS_MAX) {
    return <p className="text-small text-muted">A CSV file holds at most {CSV_DAYS_MAX} days.</p>;
  }
  return <CsvLink href={href} />;
}

function NoDecisions({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      title="No decisions in this range"
      snippet={<FirstCall projectId={projectId} runtimeUrl={env().runtimePublicUrl} />}
    >
      Every decision is counted here, by outcome, key and policy. Choose another range, or request a
      first decision with this command. It sends no key, so it is denied and uses no quota.
    </EmptyState>
  );
}

/** A policy by its method and its pattern, which a space separates. */
function PolicyName({ children: name }: { children: string }) {
  const [method = '', pathPattern] = name.split(' ');
  return (
    <>
      <MethodChip method={method} /> <code className="ml-1 text-small">{pathPattern}</code>
    </>
  );
}

/** As many as `readUsageSeries` reads keys. */
const CUSTOMERS_SHOWN = 8;

interface CallsByCustomerProps {
  projectId: string;
  /** The largest; null for a range that is too long for them. */
  customers: readonly CustomerTotal[] | null;
  /** Of all keys. */
  total: number;
}

/** The customers whose keys call most; nothing if no customer's key calls. */
function CallsByCustomer({ projectId, customers, total }: CallsByCustomerProps) {
  if (!customers?.length) return null;
  const title = 'Allowed calls by customer';
  const shares: Share[] = customers.map(({ customerId, total: count, ...name }) => ({
    id: customerId,
    count,
    tone: 'allow',
    name: (
      <TextLink
        href={`/projects/${projectId}/customers/${customerId}`}
        title={legible(name.externalId)}
        look="quiet"
        className="block truncate"
      >
        <Name>{calledOf(name)}</Name>
      </TextLink>
    ),
  }));
  const rest = total - sum(shares.map(({ count }) => count));
  if (rest > 0) {
    const name = <span className="text-muted">All others, and keys without a customer</span>;
    shares.push({ id: 'rest', count: rest, tone: 'allow', name });
  }
  return (
    <Section title={title} description="By the keys that each customer has now.">
      <ShareList
        label={title}
        shares={shares}
        total={Math.max(total, sum(shares.map(({ count }) => count)))}
      />
    </Section>
  );
}

interface AllowedCallsProps {
  title: string;
  series: UsageSeries;
  /** Shown instead of a name that no longer exists. */
  gone: string;
  nameOf: (name: string) => ReactNode;
  hrefOf: (id: string) => string;
}

function AllowedCalls({ title, series, gone, nameOf, hrefOf }: AllowedCallsProps) {
  if (series.total === 0) return null;
  const { lines, rest, total } = series;
  const shares: Share[] = lines.map(({ id, label, total: count, counts }) => ({
    id,
    count,
    counts,
    tone: 'allow',
    name:
      label === null ? (
        <span className="text-muted">{gone}</span>
      ) : (
        <TextLink href={hrefOf(id)} title={legible(label)} look="quiet" className="block truncate">
          {nameOf(label)}
        </TextLink>
      ),
  }));
  if (rest.total > 0) {
    shares.push({
      id: 'rest',
      count: rest.total,
      counts: rest.counts,
      tone: 'allow',
      name: <span className="text-muted">All others</span>,
    });
  }
  return (
    <Section title={title} description="The most frequent first.">
      <ShareList label={title} shares={shares} total={total} />
    </Section>
  );
}
