'use client';

import { ProjectSecret } from '#components/project-secret.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { RotatedSecret } from '../actions.ts';

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
