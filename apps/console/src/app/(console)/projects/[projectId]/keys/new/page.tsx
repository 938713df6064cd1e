import { getSubscription, listPolicies, surveyApiKeys } from '@ceiba/schema';
import type { Metadata } from 'next';
import { Column } from '#components/ui/section.tsx';
import { exampleCall } from '#lib/example-call.ts';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { CreateKey } from '../_components/create-key.tsx';

export const metadata: Metadata = { title: 'Create key' };

export default async function NewKeyPage({ params }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId, 'change_keys');
  const { projectId } = project;
  const [subscription, { byStatus, activeKeyCap }, policies] = await withDatabase((db) =>
    Promise.all([
      getSubscription(db, projectId),
      surveyApiKeys(db, projectId),
      listPolicies(db, projectId),
    ]),
  );
  return (
    <Column isNarrow>
      <CreateKey
        projectId={projectId}
        planName={subscription?.plan.name ?? 'none'}
        activeKeys={byStatus.active}
        activeKeyCap={activeKeyCap}
        mayChangePlan={may('change_subscription')}
        defaultRate={project.defaultKeyRateLimitPerMinute}
        example={exampleCall(policies)}
      />
    </Column>
  );
}
