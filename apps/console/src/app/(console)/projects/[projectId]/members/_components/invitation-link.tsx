'use client';

import type { ShownOnceProps } from '#components/shown-once.tsx';
import { named } from '#components/ui/name.tsx';
import { SecretReveal } from '#components/ui/secret-reveal.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import type { NewInvitation } from '../actions.ts';

/** Shows the link of a new invitation, once. */
export default function InvitationLink({ created, onDone }: ShownOnceProps<NewInvitation>) {
  const { link, label, role, expiresAt } = created;
  return (
    <SecretReveal
      title={named`${label} is invited`}
      description={
        <>
          Send the link yourself, over a channel that only they read: the first person who accepts
          it joins as {role}. It expires <AbsoluteTime at={expiresAt} />.
        </>
      }
      name="invitation link"
      secret={link}
      fileName="ceiba-invitation.txt"
      onDone={onDone}
    />
  );
}
