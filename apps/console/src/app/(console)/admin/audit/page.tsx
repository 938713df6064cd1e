import type { Metadata } from 'next';
import type { PageProps } from '#lib/list-query.ts';
import { requireAdministrator } from '#server/session.ts';
import { AuditLog } from '../../audit/audit-log.tsx';
import { AdministrationTabs } from '../_components/administration-tabs.tsx';

export const metadata: Metadata = { title: 'Audit of the installation' };

/** The log of what belongs to no project, which no owner sees. */
export default async function InstallationAuditPage({ searchParams }: PageProps) {
  const user = await requireAdministrator();
  return (
    <AuditLog
      here="/admin/audit"
      query={await searchParams}
      title="Administration"
      description="All changes of plans, accounts and retention, and who signed in. Only administrators see this page."
      scope={{ ownerId: null, projectId: null }}
      viewer={{ ...user, may: () => false }}
    >
      <AdministrationTabs current="audit" />
    </AuditLog>
  );
}
