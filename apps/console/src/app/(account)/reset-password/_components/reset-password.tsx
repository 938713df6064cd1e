'use client';

import { PASSWORD_LENGTH_MIN } from '@ceiba/domain/facts';
import Link from 'next/link';
import { useEffect, useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { PasswordField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { type ActionState, IDLE, unanswered } from '#lib/action-state.ts';
import { readReset, setForgottenPassword } from '../actions.ts';

export function ResetPassword() {
  const { resetSecret, owner } = useReset();
  if (resetSecret === '') {
    return (
      <p className="text-muted">Open the whole link again. It ends with a long text after a #.</p>
    );
  }
  if (resetSecret === undefined || owner.kind === 'idle') {
    return <p className="text-muted">Reading the link…</p>;
  }
  if (owner.kind === 'refused') {
    return (
      <div className="grid gap-4">
        <Notice tone="error">{owner.message}</Notice>
        <Link href="/forgot-password" className="rounded underline underline-offset-4">
          Get a new link
        </Link>
      </div>
    );
  }
  const { email } = owner.data;
  return (
    <ActionForm action={setForgottenPassword} hidden={{ resetSecret }} className="grid gap-6">
      {({ pending, errorOf }) => (
        <>
          <p className="text-muted">
            For <span className="font-medium wrap-anywhere text-ink">{email}</span>. You are then
            signed out in every browser, and passkeys of this account are removed.
          </p>
          {/* So that password managers save it for this account. */}
          <input
            type="text"
            name="username"
            autoComplete="username"
            value={email}
            readOnly
            hidden
          />
          <PasswordField
            errorOf={errorOf}
            name="newPassword"
            label="New password"
            hint={`At least ${PASSWORD_LENGTH_MIN} characters. Try a phrase only you would think of.`}
            autoComplete="new-password"
          />
          <Button type="submit" variant="primary" pending={pending}>
            Set password
          </Button>
        </>
      )}
    </ActionForm>
  );
}

/**
 * The secret of the address's fragment, which leaves the address at once, so that it is not copied or
 * shown with it; undefined until the browser has read it, empty without one.
 */
function useReset() {
  const [resetSecret, setResetSecret] = useState<string>();
  const [owner, setOwner] = useState<ActionState<{ email: string }>>(IDLE);
  useEffect(() => {
    const taken = window.location.hash.slice(1);
    window.history.replaceState(null, '', window.location.pathname);
    setResetSecret(taken);
    if (taken === '') return;
    const form = new FormData();
    form.set('resetSecret', taken);
    readReset(IDLE, form).then(setOwner, () =>
      setOwner(unanswered('The console is not answering. Open the link again in a moment.', form)),
    );
  }, []);
  useEffect(() => {
    // Another link, opened in this tab, changes only the fragment.
    const restart = () => window.location.reload();
    window.addEventListener('hashchange', restart);
    return () => window.removeEventListener('hashchange', restart);
  }, []);
  return { resetSecret, owner };
}
