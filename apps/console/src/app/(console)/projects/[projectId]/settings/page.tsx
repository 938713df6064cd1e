import type { Metadata } from 'next';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { requireProject } from '#server/project.ts';
import { DefaultKeyRate } from './_components/default-key-rate.tsx';
import { DeleteProject } from './_components/delete-project.tsx';
import { RenameProject } from './_components/rename-project.tsx';
import { RequestLog } from './_components/request-log.tsx';
import { RotateSecret, SecretStep } from './_components/rotate-secret.tsx';
import { SecretTimeline } from './_components/secret-timeline.tsx';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { project } = await requireProject((await params).projectId);
  const { projectId, name } = project;
  const secretCreatedAt = project.secretCreatedAt.toISOString();
  const previousExpiresAt = project.previousSecretExpiresAt?.toISOString() ?? null;
  return (
    <Column className="max-w-[45rem]">
      <SecretStep>
        <PageHeader
          title="Settings"
          description="The credentials of your API, and settings for the whole project."
        />
        <Section title="Project ID" description="Set it as CEIBA_PROJECT_ID. It never changes.">
          <IdChip id={projectId} label="project ID" whole />
        </Section>
        <Section
          title="Project secret"
          description="Set it as CEIBA_PROJECT_SECRET on your servers. Ceiba stores only its hash, so it cannot be shown again; you can rotate it."
        >
          <SecretTimeline createdAt={secretCreatedAt} previousExpiresAt={previousExpiresAt} />
          <RotateSecret
            projectId={projectId}
            secretCreatedAt={secretCreatedAt}
            previousExpiresAt={previousExpiresAt}
          />
        </Section>
        <Section title="Name" description="Only you see the name.">
          <RenameProject projectId={projectId} name={name} />
        </Section>
        <Section
          title="Default rate for each key"
          description="Keeps one busy caller from using up the plan’s rate for all others. It applies to every key without its own rate, in addition to the plan’s."
        >
          <DefaultKeyRate projectId={projectId} rate={project.defaultKeyRateLimitPerMinute} />
        </Section>
        <Section
          id="request-log"
          title="Request log"
          description="Every denied request is recorded, and the share of allowed ones that you choose. Of a key, only its prefix is recorded."
        >
          <RequestLog
            projectId={projectId}
            loggedAllowsPercent={project.loggedAllowsPercent}
            logsPaths={project.logsPaths}
          />
        </Section>
        <Section
          title="Delete project"
          description="Permanently deletes its keys, policies, subscription and usage, and your API’s requests are answered with 401. The audit log stays. To deny all calls but keep the data, cancel the subscription instead."
        >
          <DeleteProject projectId={projectId} name={name} />
        </Section>
      </SecretStep>
    </Column>
  );
}
