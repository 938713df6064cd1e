'use client';

import type { ShownOnceProps } from '#components/shown-once.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { NewResetLink } from '../actions.ts';

/** Shows the link of a reset, once. */
export default function ResetLink({ created, onDone }: ShownOnceProps<NewResetLink>) {
  const { link, email, expiresAt } = created;
  return (
    <div className="grid gap-4">
      <p>
        Send the link to <span className="font-medium wrap-anywhere">{email}</span> yourself, over a
        channel that only they read. It works once and expires <AbsoluteTime at={expiresAt} />.
      </p>
      <SecretReveal
        name="reset link"
        secret={link}
        fileName="ceiba-password-reset.txt"
        onDone={onDone}
      />
    </div>
  );
}
