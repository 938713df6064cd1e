'use client';

import { environmentFile, type HostSettings } from '#lib/host-snippets.ts';
import { IdChip } from './ui/id-chip.tsx';
import { SecretReveal } from './ui/secret-reveal.tsx';

export interface ProjectSecretProps {
  values: HostSettings;
  /** Host code to paste after the `.env` block. */
  hosts?: { name: string; code: string }[];
  onDone: () => void;
}

/** A project's secret, the one time that it is shown, with the block that hosts take. */
export function ProjectSecret({ values, hosts = [], onDone }: ProjectSecretProps) {
  const file = environmentFile(values);
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
