import { parsePathPattern, parsePolicyMethod } from '@ceiba/domain';
import { listPolicies } from '@ceiba/schema';
import type { Metadata } from 'next';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { type SearchParams, textOf } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import { PolicyForm } from '../_components/policy-form.tsx';
import { PolicyPreview } from '../_components/policy-preview.tsx';

export const metadata: Metadata = { title: 'Add policy' };

const START = { method: 'GET', pathPattern: '' };

interface NewPolicyProps {
  params: Promise<{ projectId: string }>;
  searchParams: SearchParams;
}

export default async function NewPolicyPage({ params, searchParams }: NewPolicyProps) {
  const { project } = await requireProject((await params).projectId);
  const { projectId } = project;
  const query = await searchParams;
  const others = await withDatabase((db) => listPolicies(db, projectId));
  const typed = {
    method: textOf(query, 'method', START.method),
    pathPattern: textOf(query, 'pathPattern', START.pathPattern),
    path: textOf(query, 'path'),
  };
  const method = parsePolicyMethod(typed.method);
  const pattern = parsePathPattern(typed.pathPattern.trim());
  return (
    <Column>
      <PageHeader
        title="Add policy"
        description="Allows calls with one method to the paths that its pattern matches. If several policies match, the most specific wins."
      />
      <PolicyForm
        projectId={projectId}
        start={START}
        {...typed}
        methodError={method.ok ? undefined : `The method ${method.reason}.`}
        patternError={
          pattern.ok || typed.pathPattern === '' ? undefined : `The path pattern ${pattern.reason}.`
        }
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
