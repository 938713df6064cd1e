'use client';

import { IdChip } from './ui/id-chip.tsx';
import { SecretReveal } from './ui/secret-reveal.tsx';

export interface ProjectSecretProps {
  values: { runtimeUrl: string; projectId: string; projectSecret: string };
  /** Example code of hosts, shown in tabs after the `.env` file. */
  hosts?: { name: string; code: string }[];
  onDone: () => void;
}

/** Shows a project's secret, once, with the `.env` file of a host. */
export function ProjectSecret({ values, hosts = [], onDone }: ProjectSecretProps) {
  const file = `CEIBA_RUNTIME_URL=${values.runtimeUrl}
CEIBA_PROJECT_ID=${values.projectId}
CEIBA_PROJECT_SECRET=${values.projectSecret}
`;
  return (
    <SecretReveal
      name="project secret"
      secret={values.projectSecret}
      fileName="ceiba.env"
      fileText={file}
      snippets={[{ name: '.env', code: file }, ...hosts]}
      onDone={onDone}
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
