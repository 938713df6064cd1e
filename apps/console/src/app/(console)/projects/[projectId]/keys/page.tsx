import {
  COUNTED_MAX,
  type CustomerName,
  FOUND_MAX,
  getSubscription,
  listPolicies,
  readCustomerNames,
  searchApiKeys,
  surveyApiKeys,
} from '@ceiba/schema';
import { Plus } from 'lucide-react';
import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { ButtonLink } from '#components/ui/button.tsx';
import { CsvLink } from '#components/ui/csv-link.tsx';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { ListBar, StatusTabs } from '#components/ui/link-tabs.tsx';
import { Name } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { SearchInput } from '#components/ui/search-input.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { formatCount, plural } from '#lib/format.ts';
import { labelSetsOf } from '#lib/labels.ts';
import { type PageProps, pageSizeOf, parseListQuery, textOf, withQuery } from '#lib/list-query.ts';
import { DENSITY_COOKIE, parseDensity } from '#lib/preferences.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { NextStep } from '../_components/next-step.tsx';
import { calledOf } from '../customers/customer-state.ts';
import { CapReached } from './_components/cap-reached.tsx';
import { DensityToggle } from './_components/density-toggle.tsx';
import { HintLinks } from './_components/hint-links.tsx';
import { KeyDialogs } from './_components/key-dialogs.tsx';
import { KeySelection } from './_components/key-selection.tsx';
import { KeyTable } from './_components/key-table.tsx';
import { SortSelect } from './_components/sort-select.tsx';
import {
  customerOf,
  filterText,
  readFilter,
  STATUS_TABS,
  searchOf,
  sortText,
  usualOf,
} from './filter.ts';
import { selectable } from './key-state.ts';

export const metadata: Metadata = { title: 'Keys' };

export default async function KeysPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const mayChange = may('change_keys');
  const { projectId } = project;
  const query = await searchParams;
  const { q } = parseListQuery(query);
  const { status, hint, ...order } = readFilter(query);
  const usual = usualOf({ status, hint });
  const isDense = parseDensity((await cookies()).get(DENSITY_COOKIE)?.value) === 'compact';
  const customerId = customerOf(query);
  const { subscription, survey, page, names, policies } = await withDatabase(async (db) => {
    const [subscription, survey, page, policies] = await Promise.all([
      getSubscription(db, projectId),
      surveyApiKeys(db, projectId),
      searchApiKeys(db, {
        projectId,
        ...searchOf(query),
        cursor: textOf(query, 'cursor'),
        orFirst: true,
        limit: pageSizeOf(query),
      }),
      mayChange ? listPolicies(db, projectId) : [],
    ]);
    const customerIds = [customerId, ...page.items.map(({ customer }) => customer?.customerId)];
    const names = await readCustomerNames(db, {
      projectId,
      customerIds: [...new Set(customerIds.filter((id) => id !== undefined))],
    });
    return { subscription, survey, page, names, policies };
  });
  const { items: keys, total, before, previous, next } = page;
  const ofPage = keys.flatMap(selectable);
  const isWhole = previous === null && next === null;
  // Of all statuses, some cannot be changed; a hint is one of active keys.
  const selectableElsewhere = status === 'all' && hint === undefined ? null : total;
  const here = `/projects/${projectId}/keys`;
  const plan = subscription?.plan;
  const { byStatus, byHint, activeKeyCap } = survey;
  const counts = { ...byStatus, all: byStatus.active + byStatus.revoked + byStatus.archived };
  return (
    <KeyDialogs
      shared={{
        projectId,
        defaultRate: project.defaultKeyRateLimitPerMinute,
        sets: labelSetsOf(policies),
      }}
    >
      <PageHeader
        title="Keys"
        guide="api_key"
        description={
          <span className="numbers">
            {formatCount(counts.active)} of {plural(activeKeyCap, 'active key')} that the plan{' '}
            <Name>{plan?.name ?? 'none'}</Name> allows.
          </span>
        }
        actions={
          counts.all > 0 && (
            <>
              <CsvLink href={withQuery(`${here}/csv`, query, { cursor: undefined })} />
              {mayChange && (
                <ButtonLink variant="primary" href={`${here}/new`} data-shortcut="new">
                  <Plus aria-hidden="true" />
                  Create key
                </ButtonLink>
              )}
            </>
          )
        }
      />
      <NextStep project={project} may={may} here="key" />
      {counts.all === 0 ? (
        <NoKeys here={here} mayCreate={mayChange} />
      ) : (
        <>
          {counts.active >= activeKeyCap && plan && (
            <CapReached
              projectId={projectId}
              planName={plan.name}
              activeKeyCap={activeKeyCap}
              mayChangePlan={may('change_subscription')}
            />
          )}
          {customerId !== undefined && (
            <OfCustomer
              projectId={projectId}
              customerId={customerId}
              name={names.get(customerId)}
              allHref={withQuery(here, query, { customer: undefined, cursor: undefined })}
            />
          )}
          <HintLinks here={here} query={query} counts={byHint} current={hint} />
          {hint === 'imported' && <ImportedKeys count={byHint.imported} mayReplace={mayChange} />}
          <ListBar
            tabs={
              <StatusTabs
                here={here}
                query={query}
                tabs={STATUS_TABS}
                counts={counts}
                current={hint ? undefined : status}
                usual="active"
              />
            }
          >
            <SearchInput
              label="Search names, notes and prefixes"
              className="max-sm:w-auto max-sm:min-w-0 max-sm:flex-1"
            />
            <SortSelect order={order} usual={usual} className="max-sm:w-36 lg:hidden" />
            <DensityToggle isDense={isDense} className="max-sm:hidden" />
          </ListBar>
          <KeySelection
            projectId={projectId}
            keys={ofPage}
            shown={keys.map(({ apiKeyId }) => apiKeyId)}
            filter={filterText(query)}
            total={isWhole ? ofPage.length : selectableElsewhere}
          >
            {keys.length === 0 ? (
              <p className="py-8 text-muted">
                {q === ''
                  ? `No ${hint || status === 'all' ? 'such' : status} keys.`
                  : `No key here has “${q}” in its name, note or prefix.`}{' '}
                {q !== '' && (hint || status !== 'all') && (
                  <TextLink
                    href={withQuery(here, query, {
                      status: 'all',
                      hint: undefined,
                      cursor: undefined,
                    })}
                    look="step"
                  >
                    Search all {plural(counts.all, 'key')}
                  </TextLink>
                )}
              </p>
            ) : (
              <KeyTable
                projectId={projectId}
                keys={keys}
                customers={names}
                order={order}
                usual={usual}
                isDense={isDense}
                may={may}
                hrefOfOrder={(by) => {
                  const sort = sortText(by);
                  return withQuery(here, query, {
                    sort: sort === 'created' ? undefined : sort,
                    cursor: undefined,
                  });
                }}
              />
            )}
          </KeySelection>
          <PageLinks
            here={here}
            query={query}
            page={{ previous, next }}
            hasSizes
            summary={placeOf({ total, before, shown: keys.length, isFound: q !== '' })}
          />
        </>
      )}
    </KeyDialogs>
  );
}

/** Whose keys are listed, where the filter names a customer. */
const OfCustomer = ({
  projectId,
  customerId,
  name,
  allHref,
}: {
  projectId: string;
  customerId: string;
  name: CustomerName | undefined;
  allHref: string;
}) => (
  <p className="mb-4 text-muted">
    {name === undefined ? (
      'This project has no such customer now.'
    ) : (
      <>
        Keys of the customer{' '}
        <TextLink href={`/projects/${projectId}/customers/${customerId}`} className="text-ink">
          <Name>{calledOf(name)}</Name>
        </TextLink>
        . The counts are those of the project.
      </>
    )}{' '}
    <TextLink href={allHref}>Keys of all customers</TextLink>
  </p>
);

/** What the keys have in common that the filter lists, and what to do about them. */
const ImportedKeys = ({ count, mayReplace }: { count: number; mayReplace: boolean }) => (
  <Notice
    className="mb-4"
    title={`${plural(count, 'key')} ${count === 1 ? 'was' : 'were'} imported; their strength is their maker’s`}
  >
    Ceiba has only their hashes, so it does not know how hard they are to guess.
    {mayReplace &&
      ' Replace each from its menu: its caller can go on with the old secret for up to 30 days, and its usage and limits stay.'}
  </Notice>
);

/** `26–50 of 64 keys`, or `More than 1,000 keys` where there are too many to count. */
function placeOf(page: {
  total: number | null;
  before: number;
  shown: number;
  isFound: boolean;
}): string {
  if (page.total === null)
    return `More than ${plural(page.isFound ? FOUND_MAX : COUNTED_MAX, 'key')}`;
  const [first, last] = [page.before + 1, page.before + page.shown];
  return `${formatCount(first)}–${formatCount(last)} of ${plural(page.total, 'key')}`;
}

function NoKeys({ here, mayCreate }: { here: string; mayCreate: boolean }) {
  return (
    <EmptyState
      title="No keys yet"
      action={
        mayCreate && (
          <ButtonLink variant="primary" href={`${here}/new`} data-shortcut="new">
            Create the first key
          </ButtonLink>
        )
      }
    >
      A key identifies a caller of your API, who sends it with every call as <code>x-api-key</code>.
      Create one per caller. A key is shown once, and you can revoke it at any time; the next call
      with it is denied.
    </EmptyState>
  );
}
