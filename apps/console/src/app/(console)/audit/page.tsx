import type { Metadata } from 'next';
import type { PageProps } from '#lib/list-query.ts';
import { requireUser } from '#server/session.ts';
import { AuditLog } from './audit-log.tsx';

export const metadata: Metadata = { title: 'Audit' };

export default async function AccountAuditPage({ searchParams }: PageProps) {
  const user = await requireUser();
  return (
    <AuditLog
      here="/audit"
      query={await searchParams}
      title="Audit"
      description="All changes in your projects, including deleted ones, and in your account, and who signed in to it."
      scope={{ ownerId: user.userId }}
      viewer={{ ...user, may: () => true }}
    />
  );
}
