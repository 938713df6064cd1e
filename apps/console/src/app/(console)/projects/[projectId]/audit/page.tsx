import type { Metadata } from 'next';
import type { PageProps } from '#lib/list-query.ts';
import { requireProject } from '#server/project.ts';
import { AuditLog } from '../../../audit/audit-log.tsx';

export const metadata: Metadata = { title: 'Audit' };

export default async function ProjectAuditPage({ params, searchParams }: PageProps<'projectId'>) {
  const { user, project, may } = await requireProject((await params).projectId);
  const { projectId } = project;
  return (
    <AuditLog
      here={`/projects/${projectId}/audit`}
      query={await searchParams}
      title="Audit"
      description="All changes in this project. Open a row to see the values before and after."
      scope={{ ownerId: null, projectId }}
      viewer={{ ...user, may }}
    />
  );
}
