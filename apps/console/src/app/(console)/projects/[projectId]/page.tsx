import { getSubscription } from '@ceiba/schema';
import { StatusChip } from '#components/ui/chip.tsx';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { AbsoluteDate, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';

export default async function OverviewPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { project } = await requireProject((await params).projectId);
  const subscription = await withDatabase((db) => getSubscription(db, project.projectId));
  return (
    <Column>
      <PageHeader title={project.name} description="Overview" />
      <Section title="Project">
        <dl className="grid gap-x-8 gap-y-4 sm:grid-cols-3">
          <div>
            <dt className="text-small text-muted">Project ID</dt>
            <dd>
              <IdChip id={project.projectId} label="project ID" />
            </dd>
          </div>
          <div>
            <dt className="text-small text-muted">Created</dt>
            <dd>
              <AbsoluteDate at={project.createdAt} />
            </dd>
          </div>
          <div>
            <dt className="text-small text-muted">Secret</dt>
            <dd>
              made <RelativeTime at={project.secretCreatedAt} />
            </dd>
          </div>
        </dl>
      </Section>
      {subscription && (
        <Section title="Plan" actions={<StatusChip status={subscription.status} />}>
          <p className="numbers text-muted">
            {subscription.plan.name}: {formatCount(subscription.plan.monthlyQuota)} requests a
            month, {formatCount(subscription.plan.rateLimitPerMinute)} a minute,{' '}
            {formatCount(subscription.plan.activeKeyCap)} active keys.
          </p>
        </Section>
      )}
    </Column>
  );
}
