'use client';

import { ProjectSecret } from '#components/project-secret.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { RotatedSecret } from '../actions.ts';

export interface RotatedSecretStepProps {
  rotated: RotatedSecret;
  onDone: () => void;
}

/** Shows the new secret, once, with the `.env` block of a host. */
export default function RotatedSecretStep({ rotated, onDone }: RotatedSecretStepProps) {
  return (
    <>
      <PageHeader
        title="Secret rotated"
        description={
          <>
            Update all of your servers before <AbsoluteTime at={rotated.previousSecretExpiresAt} />.
            Until then the previous secret is accepted too.
          </>
        }
      />
      <ProjectSecret values={rotated} onDone={onDone} />
    </>
  );
}
