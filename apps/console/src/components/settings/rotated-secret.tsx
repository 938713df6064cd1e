'use client';

import type { RotatedSecret } from '../../app/(console)/projects/[projectId]/settings/actions.ts';
import { ProjectSecret } from '../projects/project-secret.tsx';
import { PageHeader } from '../ui/section.tsx';
import { AbsoluteTime } from '../ui/time.tsx';

export interface RotatedSecretStepProps {
  rotated: RotatedSecret;
  onDone: () => void;
}

/** The new secret, the one time that it is shown, with the block that hosts take. */
export default function RotatedSecretStep({ rotated, onDone }: RotatedSecretStepProps) {
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
      <ProjectSecret values={rotated} onDone={onDone} />
    </>
  );
}
