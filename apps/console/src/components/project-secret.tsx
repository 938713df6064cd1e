'use client';

import { ENVIRONMENT_FILE, environmentFile } from '../lib/host-snippets.ts';
import { rememberProject, STORED_SECRETS_COOKIE } from '../lib/remembered-projects.ts';
import { IdChip } from './ui/id-chip.tsx';
import { SecretReveal, type SecretRevealProps } from './ui/secret-reveal.tsx';

export interface ProjectSecretProps extends Pick<SecretRevealProps, 'title' | 'description'> {
  values: { runtimeUrl: string; projectId: string; projectSecret: string };
  onDone: () => void;
}

/**
 * Shows a project's secret, once, as the file that a host reads. Only the browser renders it, after the
 * action that created the secret.
 */
export function ProjectSecret({ values, ...reveal }: ProjectSecretProps) {
  return (
    <SecretReveal
      name="project secret"
      secret={values.projectSecret}
      fileName={ENVIRONMENT_FILE}
      fileText={environmentFile(values)}
      snippets={[{ name: ENVIRONMENT_FILE, code: environmentFile(values) }]}
      onStored={() => rememberProject(STORED_SECRETS_COOKIE, values.projectId)}
      {...reveal}
    >
      <dl className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <dt className="font-medium">Project ID</dt>
        <dd className="min-w-0">
          <IdChip id={values.projectId} label="project ID" whole />
        </dd>
      </dl>
    </SecretReveal>
  );
}
