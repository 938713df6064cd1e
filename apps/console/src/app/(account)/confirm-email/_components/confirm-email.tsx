'use client';

import Link from 'next/link';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { LinkGate } from '../../_components/link-gate.tsx';
import { confirmEmail, readConfirmation } from '../actions.ts';

/** In the tab's storage, so that it outlives signing in. */
const KEPT_AS = 'ceiba-confirm-email';

/** Confirms a new address of the signed-in user, or lets them sign in first. */
export function ConfirmEmail({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <LinkGate
      field="confirmationSecret"
      read={readConfirmation}
      keptAs={KEPT_AS}
      incomplete="Open the whole link of the mail in this tab. It ends with a long text after a #."
    >
      {({ email }, confirmationSecret) =>
        isSignedIn ? (
          <ActionForm
            action={confirmEmail}
            hidden={{ confirmationSecret }}
            onDone={() => {
              sessionStorage.removeItem(KEPT_AS);
              // A full page load, so that the frame shows the address.
              window.location.assign('/account');
            }}
            className="grid gap-6"
          >
            {({ pending, state }) => (
              <>
                <p className="text-muted">
                  You then sign in with <Address>{email}</Address>.
                </p>
                <Button type="submit" variant="primary" pending={pending || state.kind === 'done'}>
                  Use this address
                </Button>
              </>
            )}
          </ActionForm>
        ) : (
          <div className="grid gap-6">
            <p className="text-muted">
              Sign in with your current address. Then <Address>{email}</Address> becomes the address
              of your account.
            </p>
            <Button asChild variant="primary">
              <Link href="/sign-in?next=%2Fconfirm-email">Sign in to confirm</Link>
            </Button>
          </div>
        )
      }
    </LinkGate>
  );
}

const Address = ({ children }: { children: string }) => (
  <span className="font-medium wrap-anywhere text-ink">{children}</span>
);
