'use client';

import type { RotatedSecret } from '../../app/(console)/projects/[projectId]/settings/actions.ts';
import { environmentFile } from '../../lib/host-snippets.ts';
import { IdChip } from '../ui/id-chip.tsx';
import { SecretReveal } from '../ui/secret-reveal.tsx';
import { PageHeader } from '../ui/section.tsx';
import { AbsoluteTime } from '../ui/time.tsx';

export interface RotatedSecretStepProps {
  rotated: RotatedSecret;
  onDone: () => void;
}

/** The new secret, the one time that it is shown, with the block that hosts take. */
export default function RotatedSecretStep({ rotated, onDone }: RotatedSecretStepProps) {
  const file = environmentFile(rotated);
  return (
    <>
      <PageHeader
        title="The secret is rotated"
        description={
          <>
            Give the new one to every host before{' '}
            <AbsoluteTime at={rotated.previousSecretExpiresAt} />: until then the one before is
            accepted as well, so nothing stops meanwhile.
          </>
        }
      />
      <SecretReveal
        name="project secret"
        secret={rotated.projectSecret}
        fileName="ceiba.env"
        fileText={file}
        snippets={[{ name: '.env', code: file }]}
        onDone={onDone}
      >
        <dl className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <dt className="font-medium">Project ID</dt>
          <dd className="min-w-0">
            <IdChip id={rotated.projectId} label="project ID" whole />
          </dd>
        </dl>
      </SecretReveal>
    </>
  );
}
