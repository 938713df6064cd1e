import type { Metadata } from 'next';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { requireProject } from '#server/project.ts';
import { DefaultKeyRate } from './_components/default-key-rate.tsx';
import { DeleteProject } from './_components/delete-project.tsx';
import { RenameProject } from './_components/rename-project.tsx';
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
          description="What your hosts need to reach this project, and what holds for all of it."
        />
        <Section title="Project ID" description="Goes into CEIBA_PROJECT_ID. It never changes.">
          <IdChip id={projectId} label="project ID" whole />
        </Section>
        <Section
          title="Project secret"
          description="Goes into CEIBA_PROJECT_SECRET of every host. Only its hash is stored here, so it cannot be shown; a new one can be made."
        >
          <SecretTimeline createdAt={secretCreatedAt} previousExpiresAt={previousExpiresAt} />
          <RotateSecret
            projectId={projectId}
            secretCreatedAt={secretCreatedAt}
            previousExpiresAt={previousExpiresAt}
          />
        </Section>
        <Section title="Name" description="Only you see it. Hosts know the project by its ID.">
          <RenameProject projectId={projectId} name={name} />
        </Section>
        <Section
          title="Default rate for each key"
          description="Keeps one busy caller from using up the rate of all. It holds for every key without a rate of its own, beside the plan’s, from the next request on."
        >
          <DefaultKeyRate projectId={projectId} rate={project.defaultKeyRateLimitPerMinute} />
        </Section>
        <Section
          title="Delete project"
          description="Its keys, policies, subscription and usage are gone for good, and every request of its hosts is answered 401 from then on. The audit log keeps what happened. To deny calls and keep everything, cancel the subscription instead."
        >
          <DeleteProject projectId={projectId} name={name} />
        </Section>
      </SecretStep>
    </Column>
  );
}
