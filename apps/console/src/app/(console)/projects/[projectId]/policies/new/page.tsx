import { listPolicies } from '@ceiba/schema';
import type { Metadata } from 'next';
import { Column, PageHeader } from '#components/ui/section.tsx';
import type { PageProps } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { PolicyEditor } from '../_components/policy-editor.tsx';

export const metadata: Metadata = { title: 'Add policy' };

export default async function NewPolicyPage({ params, searchParams }: PageProps<'projectId'>) {
  const { projectId } = (await requireProject((await params).projectId, 'change_policies')).project;
  const others = await withDatabase((db) => listPolicies(db, projectId));
  return (
    <Column>
      <PageHeader
        title="Add policy"
        list={{ href: `/projects/${projectId}/policies`, label: 'All policies' }}
        description="A policy allows one method on the paths that its pattern matches. If several policies match, the most specific one wins."
      />
      <PolicyEditor projectId={projectId} others={others} query={await searchParams} />
    </Column>
  );
}
