'use client';

import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { NewResetLink } from '../actions.ts';

export interface ResetLinkProps {
  created: NewResetLink;
  onDone: () => void;
}

/** Shows the link of a reset, once. */
export default function ResetLink({ created, onDone }: ResetLinkProps) {
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
