'use client';

import { ActionButton } from '#components/submit-form.tsx';
import { ButtonLink } from '#components/ui/button.tsx';
import { Name } from '#components/ui/name.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { LinkGate } from '../../_components/link-gate.tsx';
import { acceptOffer, type OfferedProject, readInvitation } from '../actions.ts';

/** In the tab's storage, so that it outlives signing in and up, also at another provider. */
const KEPT_AS = 'ceiba-invitation';

export interface JoinProjectProps {
  /** The signed-in user; null without a session. */
  email: string | null;
  mayRegister: boolean;
}

/** Says who invites to what, and lets the user accept it or sign in first. */
export function JoinProject({ email, mayRegister }: JoinProjectProps) {
  return (
    <LinkGate
      field="invitationSecret"
      read={readInvitation}
      keptAs={KEPT_AS}
      incomplete="Open the whole link of your invitation in this tab. It ends with a long text after a #. If you no longer have it, ask an owner of the project for a new one."
    >
      {(offer, invitationSecret) => (
        <div className="grid gap-6">
          <Offer offer={offer} />
          {email === null ? (
            <SignInFirst mayRegister={mayRegister} />
          ) : (
            <Accept email={email} invitationSecret={invitationSecret} />
          )}
        </div>
      )}
    </LinkGate>
  );
}

function Accept({ email, invitationSecret }: { email: string; invitationSecret: string }) {
  return (
    <>
      <ActionButton
        action={acceptOffer}
        hidden={{ invitationSecret }}
        onDone={({ projectId }) => {
          sessionStorage.removeItem(KEPT_AS);
          // A full page load, so that the frame lists the project.
          window.location.assign(`/projects/${projectId}`);
        }}
        variant="primary"
        className="w-full"
        leaves
      >
        Join project
      </ActionButton>
      <p className="text-small text-muted">
        You join as <span className="wrap-anywhere text-ink">{email}</span>. To use another account,
        sign out on <TextLink href="/account">your account</TextLink> first and open the link again.
      </p>
    </>
  );
}

function Offer({ offer }: { offer: OfferedProject }) {
  return (
    <div className="card">
      <p className="wrap-anywhere">
        <span className="font-medium">{offer.invitedBy}</span> invites you to the project{' '}
        <span className="font-medium">
          <Name>{offer.projectName}</Name>
        </span>{' '}
        as <span className="font-medium">{offer.role}</span>.
      </p>
      <p className="mt-2 text-small text-muted">
        The invitation expires <AbsoluteTime at={offer.expiresAt} />.
      </p>
    </div>
  );
}

/** Both lead back to this page, which keeps the invitation. */
function SignInFirst({ mayRegister }: { mayRegister: boolean }) {
  return (
    <div className="grid gap-2">
      <ButtonLink variant="primary" href="/sign-in?next=%2Fjoin">
        Sign in to accept
      </ButtonLink>
      {mayRegister && <ButtonLink href="/sign-up?next=%2Fjoin">Create an account</ButtonLink>}
    </div>
  );
}
