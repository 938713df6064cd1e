import { type CustomerName, UNKNOWN_KEYS_SEARCHED_MAX } from '@ceiba/schema';
import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { Fragment, type ReactNode } from 'react';
import { NotRead } from '#components/not-read.tsx';
import { CsvLink } from '#components/ui/csv-link.tsx';
import { EmptyState, NothingMatches } from '#components/ui/empty-state.tsx';
import { Name } from '#components/ui/name.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { FirstCall } from '#components/usage/first-call.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { dayOf } from '#lib/instant.ts';
import { type PageProps, withQuery } from '#lib/list-query.ts';
import { requestsHref } from '#lib/requests-href.ts';
import { unlessTooSlow, withSlowDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { viewerZone } from '#server/time-zone.ts';
import { env } from '../../../../../env.ts';
import { calledOf } from '../customers/customer-state.ts';
import { LeftOut } from './_components/left-out.tsx';
import { LiveTail } from './_components/live-tail.tsx';
import {
  type RequestFilterFormProps as FilterProps,
  RequestFilterForm,
} from './_components/request-filter.tsx';
import { parseRequestQuery } from './_components/request-query.ts';
import { RequestTable } from './_components/request-table.tsx';
import { RequestViews } from './_components/request-views.tsx';
import { WhatIsKept } from './_components/what-is-kept.tsx';
import { type FilteredKey, type RequestPage, readRequests } from './read-requests.ts';

export const metadata: Metadata = { title: 'Requests' };

export default async function RequestsPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId, keyPrefix } = project;
  const query = await searchParams;
  const parsed = parseRequestQuery(query, keyPrefix);
  const here = `/projects/${projectId}/requests`;
  const timeZone = await viewerZone();
  const today = dayOf(new Date(), timeZone).from;
  const page = await withSlowDatabase((db) => readRequests(db, projectId, parsed)).catch(
    unlessTooSlow,
  );
  if (typeof page === 'string') {
    return (
      <>
        <PageHeader title="Requests" guide="decision" />
        <Search projectId={projectId} query={parsed} today={today} />
        <NotRead why={page}>
          Narrow the time range or drop a filter. Where each filter matches many requests and all
          together only a few, most of the log has to be read.
        </NotRead>
      </>
    );
  }
  const { asked } = page;
  // The first page has one address: with a cursor it would miss the requests that come later.
  if (asked.cursor !== '' && page.previous === null) {
    redirect(withQuery(here, query, { cursor: undefined }));
  }
  return (
    <>
      <PageHeader
        title="Requests"
        guide="decision"
        description={
          <>
            <WhatIsKept {...project} timeZone={timeZone} />, of the last{' '}
            {plural(page.kept.days, 'day')}. Times are in {timeZone}.{' '}
            {may('change_settings') && (
              <TextLink href={`/projects/${projectId}/settings#decision-log`}>
                Change what is recorded
              </TextLink>
            )}
          </>
        }
        actions={
          <>
            {page.canGrow && (
              <LiveTail address={withQuery(`${here}/tail`, query, { cursor: undefined })} />
            )}
            <CsvLink
              href={page.isListed ? withQuery(`${here}/csv`, query, { cursor: undefined }) : null}
            />
          </>
        }
      />
      <Search projectId={projectId} query={asked} today={today} />
      <LeftOut gaps={page.leftOut} projectId={projectId} />
      {page.key && <p className="mb-4 text-muted">{ofKey(page.key, projectId)}</p>}
      {asked.filter.customerId !== undefined && (
        <p className="mb-4 text-muted">
          {ofCustomer(asked.filter.customerId, page.customers, projectId)}
        </p>
      )}
      {page.items.length > 0 ? (
        <RequestTable
          here={here}
          query={query}
          requests={page.items}
          names={page.names}
          customers={page.customers}
          timeZone={timeZone}
        />
      ) : (
        <div className="mt-4">
          <Nothing page={page} projectId={projectId} />
        </div>
      )}
      <PageLinks here={here} query={query} page={page} names={['Newer', 'Older']} />
    </>
  );
}

/** The tabs of the log and its filter, whose ranges of time are on their line. */
const Search = ({ projectId, ...filter }: { projectId: string } & Omit<FilterProps, 'here'>) => (
  <div className="relative lg:[&_.filters]:mb-1">
    <RequestViews projectId={projectId} current="list" />
    <RequestFilterForm here={requestsHref(projectId, {})} {...filter} />
  </div>
);

/** Whose requests are listed, where the filter names a key. */
function ofKey(filtered: FilteredKey, projectId: string): ReactNode {
  if ('unknownKeyPrefix' in filtered) {
    return (
      <>
        This project has no key <code>{filtered.unknownKeyPrefix}…</code> now. Listed are calls that
        were denied as “Invalid key” for one that begins so, among the newest{' '}
        {formatCount(UNKNOWN_KEYS_SEARCHED_MAX)} with this reason.
      </>
    );
  }
  if ('keys' in filtered) {
    return (
      <>
        Requests with the {filtered.keys.length} keys that begin with{' '}
        <code>{filtered.keyPrefix}</code>:{' '}
        {filtered.keys.map((key, index) => (
          <Fragment key={key.apiKeyId}>
            {index > 0 && ', '}
            {linkToKey(key, projectId)}
          </Fragment>
        ))}
      </>
    );
  }
  const { apiKeyId, name } = filtered;
  if (name === null) {
    return (
      <>
        This project has no key <code>{apiKeyId}</code> now. Its recorded requests stay until they
        expire.
      </>
    );
  }
  return (
    <>
      Requests with the key {linkToKey({ apiKeyId, ...name }, projectId)}{' '}
      <code>{name.keyPrefix}…</code>
    </>
  );
}

const linkToKey = (key: { apiKeyId: string; displayName: string }, projectId: string) => (
  <TextLink href={`/projects/${projectId}/keys/${key.apiKeyId}`} className="text-ink">
    <Name>{key.displayName}</Name>
  </TextLink>
);

/** Whose requests are listed, where the filter names a customer. */
function ofCustomer(
  customerId: string,
  customers: ReadonlyMap<string, CustomerName>,
  projectId: string,
): ReactNode {
  const name = customers.get(customerId);
  if (name === undefined) {
    return (
      <>
        This project has no customer <code>{customerId}</code> now.
      </>
    );
  }
  return (
    <>
      Requests with the keys of the customer{' '}
      <TextLink href={`/projects/${projectId}/customers/${customerId}`} className="text-ink">
        <Name>{calledOf(name)}</Name>
      </TextLink>
      , while they were its keys
    </>
  );
}

interface NothingProps {
  page: RequestPage;
  projectId: string;
}

/** Why the list is empty. */
function Nothing({ page, projectId }: NothingProps) {
  const { asked } = page;
  if (Object.keys(asked.errors).length > 0) {
    return <p className="py-8 text-muted">Correct the filter to see requests.</p>;
  }
  if (asked.isFiltered) {
    const { days, since } = page.kept;
    const isTooEarly = asked.filter.to !== undefined && asked.filter.to <= since;
    return (
      <NothingMatches here={requestsHref(projectId, {})}>
        {isTooEarly
          ? `Requests are kept for ${plural(days, 'day')}, and this range is older.`
          : 'No recorded requests match this filter.'}
      </NothingMatches>
    );
  }
  return (
    <EmptyState
      title="No recorded requests"
      snippet={<FirstCall projectId={projectId} runtimeUrl={env().runtimePublicUrl} />}
    >
      A denied request is listed here within seconds, with the gate that denied it. Request a first
      decision with this command. It sends no key, so it is denied and uses no quota.
    </EmptyState>
  );
}
