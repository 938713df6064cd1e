import { listPolicies } from '@ceiba/schema';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { PolicyEditor } from '../_components/policy-editor.tsx';

export const metadata: Metadata = { title: 'Edit policy' };

export default async function EditPolicyPage({
  params,
  searchParams,
}: PageProps<'projectId' | 'policyId'>) {
  const { policyId, ...address } = await params;
  const { projectId } = (await requireProject(address.projectId, 'change_policies')).project;
  const policies = await withDatabase((db) => listPolicies(db, projectId));
  const saved = policies.find((policy) => policy.policyId === policyId);
  if (saved === undefined) notFound();
  return (
    <Column>
      <PageHeader
        title="Edit policy"
        list={{ href: `/projects/${projectId}/policies`, label: 'All policies' }}
        description={
          <>
            Changed <RelativeTime at={saved.updatedAt} />. Changes apply from the next request on.
            The policy keeps its ID and its hit count.
          </>
        }
        actions={<IdChip id={policyId} label="policy ID" />}
      />
      <PolicyEditor
        projectId={projectId}
        saved={saved}
        others={policies.filter((policy) => policy !== saved)}
        query={await searchParams}
      />
    </Column>
  );
}
