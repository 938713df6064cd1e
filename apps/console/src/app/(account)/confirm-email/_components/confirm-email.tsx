'use client';

import { ButtonLink } from '#components/ui/button.tsx';
import { AccountForm } from '../../_components/account-form.tsx';
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
      {({ email }, confirmationSecret) => {
        const address = <span className="font-medium wrap-anywhere text-ink">{email}</span>;
        if (!isSignedIn) {
          return (
            <div className="grid gap-6">
              <p className="text-muted">
                Sign in with your current address. Then {address} becomes the address of your
                account.
              </p>
              <ButtonLink href="/sign-in?next=%2Fconfirm-email" variant="primary">
                Sign in to confirm
              </ButtonLink>
            </div>
          );
        }
        return (
          <AccountForm
            action={confirmEmail}
            hidden={{ confirmationSecret }}
            onDone={() => {
              sessionStorage.removeItem(KEPT_AS);
              // A full page load, so that the frame shows the address.
              window.location.assign('/account');
            }}
            submit="Use this address"
            leaves
          >
            <p className="text-muted">You then sign in with {address}.</p>
          </AccountForm>
        );
      }}
    </LinkGate>
  );
}
