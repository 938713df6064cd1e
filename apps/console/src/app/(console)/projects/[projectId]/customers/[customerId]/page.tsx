import { CALENDAR_MONTH } from '@ceiba/domain/limits';
import { Plus } from 'lucide-react';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { z } from 'zod';
import { ProblemList } from '#components/problems/problem-list.tsx';
import { ButtonLink } from '#components/ui/button.tsx';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { Column, Columns, PageHeader, Section } from '#components/ui/section.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { plural } from '#lib/format.ts';
import { labelSetsOf } from '#lib/labels.ts';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { Timeline } from '../../_components/timeline.tsx';
import { MostDenied } from '../../requests/groups/most-denied.tsx';
import { CustomerDialogs, CustomerStepButton } from '../_components/customer-dialogs.tsx';
import { calledOf, stateOf, targetOf } from '../customer-state.ts';
import { CustomerFacts } from './_components/customer-facts.tsx';
import { CustomerKeys } from './_components/customer-keys.tsx';
import { customerNotes } from './_components/customer-notes.tsx';
import { CustomerUsage } from './_components/customer-usage.tsx';
import { PeriodDates, PeriodUse } from './_components/period-use.tsx';
import { readCustomerPage } from './read-customer.ts';

export const metadata: Metadata = { title: 'Customer' };

/** The newest; the others are a link away. */
const KEYS_SHOWN = 5;

export default async function CustomerPage({ params }: PageProps<'projectId' | 'customerId'>) {
  const { customerId, ...address } = await params;
  const { project, may, user } = await requireProject(address.projectId);
  const { projectId } = project;
  if (!z.guid().safeParse(customerId).success) notFound();
  const facts = await withDatabase((db) => readCustomerPage(db, { projectId, customerId }));
  if (facts === null) notFound();
  const { customer, use, usage, plans, policies, keys, kept, denials, timeline } = facts;
  const mayChange = may('change_customers');
  const target = targetOf(customer);
  return (
    <CustomerDialogs shared={{ projectId, plans }}>
      <Column>
        <PageHeader
          title={<Name>{calledOf(customer)}</Name>}
          list={{ href: `/projects/${projectId}/customers`, label: 'All customers' }}
          description={
            <span className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <StatusChip status={stateOf(customer, use.admits)} />
              <IdChip id={customerId} label="customer ID" />
            </span>
          }
          actions={
            <>
              {may('change_keys') && (
                <ButtonLink
                  variant="primary"
                  href={`/projects/${projectId}/keys/new?customer=${customerId}`}
                >
                  <Plus aria-hidden="true" />
                  Create key
                </ButtonLink>
              )}
              {mayChange && !target.isSuspended && (
                <CustomerStepButton
                  opens={{ step: 'suspend', target }}
                  address="suspend"
                  variant="quiet"
                >
                  Suspend customer
                </CustomerStepButton>
              )}
            </>
          }
        />
        <ProblemList
          projectId={projectId}
          problems={facts.problems}
          may={may}
          own={customerNotes(
            customer,
            use,
            'customer',
            (step, label) =>
              mayChange && (
                <CustomerStepButton
                  opens={{ step, target }}
                  // The facts below open the others at their addresses.
                  address={step === 'resume' ? step : undefined}
                  size="sm"
                  variant="secondary"
                >
                  {label}
                </CustomerStepButton>
              ),
          )}
        />
        <Columns
          left={
            <>
              <Section
                title="This period"
                description={<PeriodDates use={use} />}
                className="numbers"
              >
                <PeriodUse use={use} />
              </Section>
              <section aria-label="Customer" className="mb-6">
                <CustomerFacts
                  projectId={projectId}
                  customer={customer}
                  use={use}
                  sets={labelSetsOf(policies)}
                  mayChange={mayChange}
                />
              </section>
              <Section
                title="Keys"
                description={`They share the limits of the customer.${customer.billingDay === CALENDAR_MONTH ? '' : ' Their counts are of the calendar month.'}`}
                link={
                  keys.total === 0
                    ? null
                    : {
                        href: `/projects/${projectId}/keys?status=all&customer=${customerId}`,
                        label:
                          keys.total === null ? 'All keys' : `All ${plural(keys.total, 'key')}`,
                      }
                }
              >
                <CustomerKeys projectId={projectId} keys={keys.items.slice(0, KEYS_SHOWN)} />
              </Section>
              <MostDenied
                projectId={projectId}
                of={{ customer: customerId }}
                groups={denials}
                days={kept.days}
              />
            </>
          }
          right={
            <>
              <CustomerUsage
                projectId={projectId}
                customerId={customerId}
                usage={usage}
                kept={kept}
              />
              <Timeline
                projectId={projectId}
                timeline={timeline}
                description="Of the customer and its newest keys."
                of={{ customer: customerId }}
                viewer={{ ...user, may }}
              />
            </>
          }
        />
      </Column>
    </CustomerDialogs>
  );
}
