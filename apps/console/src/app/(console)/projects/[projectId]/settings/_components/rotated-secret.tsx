'use client';

import { ProjectSecret } from '#components/project-secret.tsx';
import type { ShownOnceProps } from '#components/shown-once.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { RotatedSecret } from '../actions.ts';

/** Shows the new secret, once, with the `.env` block of a host. */
export default function RotatedSecretStep({ created, onDone }: ShownOnceProps<RotatedSecret>) {
  return (
    <ProjectSecret
      title="Secret rotated"
      description={
        <>
          Update all of your servers before <AbsoluteTime at={created.previousSecretExpiresAt} />.
          Until then the previous secret is accepted too.
        </>
      }
      values={created}
      onDone={onDone}
    />
  );
}
