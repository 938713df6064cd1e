import { searchCustomerPlans } from '@ceiba/schema';
import type { Metadata } from 'next';
import { Column, PageHeader } from '#components/ui/section.tsx';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { PLANS_LISTED } from '../../plan-detail.ts';
import { CreateCustomer } from '../_components/create-customer.tsx';
import { customerPlanChoice } from '../customer-choice.ts';

export const metadata: Metadata = { title: 'Create customer' };

export default async function NewCustomerPage({ params }: PageProps<'projectId'>) {
  const { project } = await requireProject((await params).projectId, 'change_customers');
  const { projectId } = project;
  const plans = await withDatabase((db) =>
    searchCustomerPlans(db, { projectId, limit: PLANS_LISTED }),
  );
  const list = `/projects/${projectId}/customers`;
  return (
    <Column isNarrow>
      <PageHeader
        title="Create customer"
        list={{ href: list, label: 'All customers' }}
        description="A company or a person that you sell to. Its keys share its limits, and you can suspend all of them at once."
      />
      <CreateCustomer projectId={projectId} list={list} plans={plans.map(customerPlanChoice)} />
    </Column>
  );
}
