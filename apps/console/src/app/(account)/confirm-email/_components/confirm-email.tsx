'use client';

import Link from 'next/link';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { useLinkSecret } from '../../_components/use-link-secret.ts';
import { confirmEmail, readConfirmation } from '../actions.ts';

/** In the tab's storage, so that it outlives signing in. */
const KEPT_AS = 'ceiba-confirm-email';

/** Confirms a new address of the signed-in user, or lets them sign in first. */
export function ConfirmEmail({ isSignedIn }: { isSignedIn: boolean }) {
  const link = useLinkSecret('confirmationSecret', readConfirmation, KEPT_AS);
  const { secret: confirmationSecret, answer } = link;
  if (confirmationSecret === '') {
    return (
      <p className="text-muted">
        Open the whole link of the mail in this tab. It ends with a long text after a #.
      </p>
    );
  }
  if (confirmationSecret === undefined || answer.kind === 'idle') {
    return <p className="text-muted">Reading the link…</p>;
  }
  if (answer.kind === 'refused') return <Notice tone="error">{answer.message}</Notice>;
  const address = <span className="font-medium wrap-anywhere text-ink">{answer.data.email}</span>;
  if (!isSignedIn) {
    return (
      <div className="grid gap-6">
        <p className="text-muted">
          Sign in with your current address. Then {address} becomes the address of your account.
        </p>
        <Button asChild variant="primary">
          <Link href="/sign-in?next=%2Fconfirm-email">Sign in to confirm</Link>
        </Button>
      </div>
    );
  }
  return (
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
          <p className="text-muted">You then sign in with {address}.</p>
          <Button type="submit" variant="primary" pending={pending || state.kind === 'done'}>
            Use this address
          </Button>
        </>
      )}
    </ActionForm>
  );
}
