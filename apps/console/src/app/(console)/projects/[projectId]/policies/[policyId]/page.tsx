import { parsePathPattern, parsePolicyMethod } from '@ceiba/domain';
import { listPolicies } from '@ceiba/schema';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { type SearchParams, textOf } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { PolicyForm } from '../_components/policy-form.tsx';
import { PolicyPreview } from '../_components/policy-preview.tsx';

export const metadata: Metadata = { title: 'Edit policy' };

interface EditPolicyProps {
  params: Promise<{ projectId: string; policyId: string }>;
  searchParams: SearchParams;
}

export default async function EditPolicyPage({ params, searchParams }: EditPolicyProps) {
  const { projectId: asked, policyId } = await params;
  const { project } = await requireProject(asked);
  const { projectId } = project;
  const query = await searchParams;
  const policies = await withDatabase((db) => listPolicies(db, projectId));
  const saved = policies.find((policy) => policy.policyId === policyId);
  if (saved === undefined) notFound();
  const others = policies.filter((policy) => policy !== saved);
  const typed = {
    method: textOf(query, 'method', saved.method),
    pathPattern: textOf(query, 'pathPattern', saved.pathPattern),
    path: textOf(query, 'path'),
  };
  const method = parsePolicyMethod(typed.method);
  const pattern = parsePathPattern(typed.pathPattern.trim());
  return (
    <Column>
      <PageHeader
        title="Edit policy"
        description={
          <>
            Changed <RelativeTime at={saved.updatedAt} />. What you save holds from the next request
            on; its hits go on under the same ID.
          </>
        }
        actions={<IdChip id={policyId} label="policy ID" />}
      />
      <PolicyForm
        projectId={projectId}
        policyId={policyId}
        start={{ method: saved.method, pathPattern: saved.pathPattern }}
        {...typed}
        methodError={method.ok ? undefined : `The method ${method.reason}.`}
        patternError={pattern.ok ? undefined : `The path pattern ${pattern.reason}.`}
      >
        <PolicyPreview
          projectId={projectId}
          method={method}
          pattern={pattern}
          others={others}
          path={typed.path}
        />
      </PolicyForm>
    </Column>
  );
}
