import { describeLimits } from '@ceiba/domain/limits';
import { getSubscription, listCustomerPlans, listPolicies } from '@ceiba/schema';
import type { Metadata } from 'next';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { formatCount } from '#lib/format.ts';
import { labelSetsOf } from '#lib/labels.ts';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { AddPlan, PlanDialogs } from './_components/plan-dialogs.tsx';
import { PlanTable } from './_components/plan-table.tsx';

export const metadata: Metadata = { title: 'Plans' };

/** What the owner of the project sells to its customers. */
export default async function PlansPage({ params }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  const mayChange = may('change_customer_plans');
  const [plans, policies, subscription] = await withDatabase((db) =>
    Promise.all([
      listCustomerPlans(db, projectId),
      listPolicies(db, projectId),
      getSubscription(db, projectId),
    ]),
  );
  const sets = labelSetsOf(policies);
  return (
    <PlanDialogs shared={{ sets }}>
      <Column>
        <PageHeader
          title="Plans"
          guide="customer_plan"
          description="What you sell to your customers. A change applies to every customer on the plan from the next request on."
          actions={mayChange && plans.length > 0 && <AddPlan>Add plan</AddPlan>}
        />
        {plans.length === 0 ? (
          <EmptyState
            title="No plans yet"
            action={mayChange && <AddPlan>Add the first plan</AddPlan>}
          >
            A plan says what its customers may use: how many requests a minute, a day and a month,
            how many keys, and which policies. The keys of one customer share its limits.
            {!mayChange && ' Only the owner of the project can add one.'}
          </EmptyState>
        ) : (
          <PlanTable plans={plans} sets={sets} mayChange={mayChange} />
        )}
        {subscription && (
          <p className="mt-4 text-small text-muted">
            All customers together have what the{' '}
            <TextLink href={`/projects/${projectId}/subscription`}>subscription</TextLink> of the
            project allows: {describeLimits(subscription.plan, formatCount)}.
          </p>
        )}
      </Column>
    </PlanDialogs>
  );
}
