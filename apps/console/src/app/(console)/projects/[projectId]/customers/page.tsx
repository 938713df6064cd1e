import {
  listCustomers,
  readCustomerUse,
  searchCustomerPlans,
  surveyCustomers,
} from '@ceiba/schema';
import { Plus } from 'lucide-react';
import type { Metadata } from 'next';
import { ButtonLink } from '#components/ui/button.tsx';
import { CsvLink } from '#components/ui/csv-link.tsx';
import { EmptyState, NothingMatches } from '#components/ui/empty-state.tsx';
import { ListBar, StatusTabs } from '#components/ui/link-tabs.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { SearchInput } from '#components/ui/search-input.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { plural } from '#lib/format.ts';
import { type PageProps, parseListQuery, type Query, textOf, withQuery } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { PLANS_LISTED } from '../plan-detail.ts';
import { CustomerDialogs } from './_components/customer-dialogs.tsx';
import { CustomerTable } from './_components/customer-table.tsx';
import { customerPlanChoice } from './customer-choice.ts';
import { filterOf, STATUS_TABS, statusOf } from './filter.ts';

export const metadata: Metadata = { title: 'Customers' };

const PAGE_SIZE = 25;

export default async function CustomersPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const query = await searchParams;
  const mayChange = may('change_customers');
  const { counts, page, uses, plans } = await withDatabase(async (db) => {
    const [counts, page, plans] = await Promise.all([
      surveyCustomers(db, projectId),
      listCustomers(db, {
        projectId,
        filter: filterOf(query),
        cursor: textOf(query, 'cursor'),
        orFirst: true,
        limit: PAGE_SIZE,
      }),
      mayChange ? searchCustomerPlans(db, { projectId, limit: PLANS_LISTED }) : [],
    ]);
    const customerIds = page.items.map(({ customerId }) => customerId);
    const uses = await readCustomerUse(db, { projectId, customerIds });
    return { counts, page, uses, plans: plans.map(customerPlanChoice) };
  });
  const here = `/projects/${projectId}/customers`;
  const total = counts.active + counts.suspended;
  return (
    <>
      <PageHeader
        title="Customers"
        guide="customer"
        description={
          total > 0 && (
            <span className="numbers">
              {plural(total, 'customer')}. The keys of one share its limits.
            </span>
          )
        }
        actions={
          total > 0 && (
            <>
              <CsvLink href={withQuery(`${here}/csv`, query, { cursor: undefined })} />
              {mayChange && (
                <ButtonLink variant="primary" href={`${here}/new`} data-shortcut="new">
                  <Plus aria-hidden="true" />
                  Create customer
                </ButtonLink>
              )}
            </>
          )
        }
      />
      {total === 0 ? (
        <NoCustomers here={here} mayCreate={mayChange} />
      ) : (
        <CustomerDialogs shared={{ projectId, plans }}>
          <ListBar
            tabs={
              <StatusTabs
                here={here}
                query={query}
                tabs={STATUS_TABS}
                counts={{ ...counts, all: total }}
                current={statusOf(query)}
                usual="all"
              />
            }
          >
            <SearchInput label="Search external IDs and names" />
          </ListBar>
          {page.items.length === 0 ? (
            <Nothing here={here} query={query} />
          ) : (
            <CustomerTable projectId={projectId} customers={page.items} uses={uses} may={may} />
          )}
          <PageLinks here={here} query={query} page={page} names={['Newer', 'Older']} />
        </CustomerDialogs>
      )}
    </>
  );
}

function NoCustomers({ here, mayCreate }: { here: string; mayCreate: boolean }) {
  return (
    <EmptyState
      title="No customers yet"
      action={
        mayCreate && (
          <ButtonLink variant="primary" href={`${here}/new`} data-shortcut="new">
            Create the first customer
          </ButtonLink>
        )
      }
    >
      A customer is a company or a person that you sell to: it has an ID of your own, any number of
      keys, one plan, and limits that its keys share. Without customers, each key stands for itself.
    </EmptyState>
  );
}

function Nothing({ here, query }: { here: string; query: Query }) {
  const { q } = parseListQuery(query);
  return (
    <NothingMatches here={here}>
      {q === ''
        ? `No ${statusOf(query)} customers.`
        : `No customer here has “${q}” in its external ID or name.`}
    </NothingMatches>
  );
}
