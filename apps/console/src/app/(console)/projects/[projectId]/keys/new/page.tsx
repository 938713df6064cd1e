import { UUID } from '@ceiba/contract/sets';
import { getSubscription, listPolicies, readCustomerNames, surveyApiKeys } from '@ceiba/schema';
import type { Metadata } from 'next';
import { Column } from '#components/ui/section.tsx';
import { labelSetsOf } from '#lib/labels.ts';
import { type PageProps, textOf } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { choiceOf } from '../../customers/customer-choice.ts';
import { CreateKey } from '../_components/create-key.tsx';

export const metadata: Metadata = { title: 'Create key' };

export default async function NewKeyPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId, 'change_keys');
  const { projectId } = project;
  const customerId = textOf(await searchParams, 'customer').toLowerCase();
  const [subscription, { byStatus, activeKeyCap }, policies, customers] = await withDatabase((db) =>
    Promise.all([
      getSubscription(db, projectId),
      surveyApiKeys(db, projectId),
      listPolicies(db, projectId),
      readCustomerNames(db, {
        projectId,
        customerIds: UUID.test(customerId) ? [customerId] : [],
      }),
    ]),
  );
  const [customer] = [...customers].map(([id, name]) => choiceOf({ customerId: id, ...name }));
  return (
    <Column isNarrow>
      <CreateKey
        projectId={projectId}
        planName={subscription?.plan.name ?? 'none'}
        activeKeys={byStatus.active}
        activeKeyCap={activeKeyCap}
        mayChangePlan={may('change_subscription')}
        defaultRate={project.defaultKeyRateLimitPerMinute}
        sets={labelSetsOf(policies)}
        customer={customer ?? null}
      />
    </Column>
  );
}
