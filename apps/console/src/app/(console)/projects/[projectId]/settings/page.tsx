import { apiKeyPattern, UNSAMPLED_HOURS, UNSAMPLED_PER_MINUTE } from '@ceiba/domain';
import { listMembers } from '@ceiba/schema';
import type { Metadata } from 'next';
import { HostSnippets } from '#components/host-snippets.tsx';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Column, IndexedSections, PageHeader } from '#components/ui/section.tsx';
import { LastUse } from '#components/ui/time.tsx';
import { type PageProps, textOf } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { chosenFramework, FRAMEWORKS } from '#server/guides/guides.ts';
import { requireProject } from '#server/project.ts';
import { env } from '../../../../../env.ts';
import { DeleteProject, TransferProject } from './_components/project-steps.tsx';
import { EndPreviousSecret, RotateSecret, SecretStep } from './_components/secret-forms.tsx';
import { SecretTimeline } from './_components/secret-timeline.tsx';
import {
  DecisionLog,
  DefaultKeyRate,
  KeyPrefix,
  RenameProject,
} from './_components/settings-forms.tsx';

export const metadata: Metadata = { title: 'Settings' };

export default async function SettingsPage({ params, searchParams }: PageProps<'projectId'>) {
  const { project, may } = await requireProject((await params).projectId);
  const { projectId, name } = project;
  const query = await searchParams;
  const { runtimePublicUrl: runtimeUrl, publicOrigin: consoleUrl } = env();
  const users = may('transfer') ? await withDatabase((db) => listMembers(db, projectId)) : [];
  const members = users.filter(({ role }) => role !== 'owner');
  const secretCreatedAt = project.secretCreatedAt.toISOString();
  const previousExpiresAt = project.previousSecretExpiresAt?.toISOString() ?? null;
  return (
    <Column>
      <SecretStep>
        <PageHeader
          title="Settings"
          guide="project"
          description="The credentials of your API, and settings for the whole project."
        />
        <IndexedSections
          parts={[
            {
              id: 'project-id',
              title: 'Project ID and Runtime',
              description: (
                <>
                  Set them as <code>CEIBA_PROJECT_ID</code>, which never changes, and{' '}
                  <code>CEIBA_RUNTIME_URL</code>.
                </>
              ),
              children: (
                <>
                  <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)]">
                    <dt className="font-medium">Project ID</dt>
                    <dd className="min-w-0">
                      <IdChip id={projectId} label="project ID" whole />
                    </dd>
                    <dt className="font-medium">Runtime</dt>
                    <dd className="min-w-0">
                      <IdChip id={runtimeUrl} label="address of the Runtime" whole />
                    </dd>
                  </dl>
                  <details open={textOf(query, 'framework') !== ''} className="mt-3">
                    <summary className="w-fit cursor-pointer rounded font-medium">
                      Connect a host
                    </summary>
                    <div className="mt-3">
                      <HostSnippets
                        here={`/projects/${projectId}/settings`}
                        host={{ runtimeUrl, consoleUrl, projectId }}
                        frameworks={FRAMEWORKS}
                        chosen={chosenFramework(query)}
                      />
                    </div>
                  </details>
                </>
              ),
            },
            {
              id: 'project-secret',
              title: 'Project secret',
              description: (
                <>
                  Set it as <code>CEIBA_PROJECT_SECRET</code> on your servers. Ceiba stores only its
                  hash, so it cannot be shown again; you can rotate it.
                </>
              ),
              actions: may('change_secret') && (
                <RotateSecret
                  secretCreatedAt={secretCreatedAt}
                  previousExpiresAt={previousExpiresAt}
                />
              ),
              children: (
                <SecretTimeline
                  createdAt={secretCreatedAt}
                  previousExpiresAt={previousExpiresAt}
                  previousLastUse={
                    <LastUse
                      at={project.previousSecretLastUsedAt}
                      none="not used since it was replaced"
                    />
                  }
                >
                  {may('change_secret') && (
                    <EndPreviousSecret
                      secretCreatedAt={secretCreatedAt}
                      previousExpiresAt={previousExpiresAt}
                    />
                  )}
                </SecretTimeline>
              ),
            },
            may('change_settings') && {
              id: 'name',
              title: 'Name',
              description: 'Only the members of the project see it.',
              children: <RenameProject name={name} />,
            },
            {
              id: 'key-prefix',
              title: 'Key prefix',
              description:
                'What the new keys of this project begin with, so that people and secret scanners see whose they are. Keys that exist keep theirs and stay valid.',
              children: (
                <>
                  <KeyLooks keyPrefix={project.keyPrefix} />
                  {may('change_settings') && <KeyPrefix keyPrefix={project.keyPrefix} />}
                </>
              ),
            },
            may('change_settings') && {
              id: 'default-rate',
              title: 'Default rate for each key',
              description:
                'Keeps one busy caller from using up the plan’s rate for all others. It applies to every key without its own rate, in addition to the plan’s.',
              children: (
                <DefaultKeyRate
                  defaultKeyRateLimitPerMinute={project.defaultKeyRateLimitPerMinute}
                />
              ),
            },
            may('change_settings') && {
              id: 'decision-log',
              title: 'Decision log',
              description: `Every denied request is recorded, and the share of allowed ones that you choose. For ${UNSAMPLED_HOURS} hours from the first allowed call, all of them are, up to ${UNSAMPLED_PER_MINUTE} a minute, unless the share is 0. Of a key, only its prefix is recorded.`,
              children: (
                // What links of earlier versions lead to.
                <div id="request-log" className="scroll-mt-28">
                  <DecisionLog
                    loggedAllowsPercent={project.loggedAllowsPercent}
                    logsPaths={project.logsPaths}
                  />
                </div>
              ),
            },
            may('transfer') && {
              id: 'transfer',
              title: 'Transfer project',
              description:
                'Makes a member the owner. You stay as a developer, and open invitations end.',
              actions: members.length > 0 && (
                <TransferProject
                  step="transfer"
                  name={name}
                  members={members.map(({ userId, email }) => ({ userId, email }))}
                />
              ),
              children: members.length === 0 && (
                <p className="text-muted">Invite the new owner as a member first.</p>
              ),
            },
            may('delete') && {
              id: 'delete',
              title: 'Delete project',
              description:
                'Permanently deletes its keys, policies, subscription and usage, and your API’s requests are answered with 401. The audit log stays. To deny all calls but keep the data, cancel the subscription instead.',
              actions: <DeleteProject step="delete" name={name} />,
            },
          ]}
        />
        {!may('change_settings') && (
          <p className="mb-4 text-muted">
            Only the owner can change the other settings of this project.
          </p>
        )}
      </SecretStep>
    </Column>
  );
}

/** What a new key looks like, and the regular expression that finds one in text. */
const KeyLooks = ({ keyPrefix }: { keyPrefix: string }) => (
  <dl className="mb-3 grid gap-x-4 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)]">
    <dt className="font-medium">A new key</dt>
    <dd className="min-w-0 wrap-anywhere">
      <code className="text-small">{keyPrefix}4fZk2Qpa…</code>
    </dd>
    <dt className="font-medium">For secret scanners</dt>
    <dd className="min-w-0">
      <IdChip id={apiKeyPattern(keyPrefix)} label="pattern for secret scanners" whole />
    </dd>
  </dl>
);
