'use client';

import Link from 'next/link';
import { ActionForm } from '#components/action-form.tsx';
import { NewPassword } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { useLinkSecret } from '../../_components/use-link-secret.ts';
import { readReset, setForgottenPassword } from '../actions.ts';

export function ResetPassword() {
  const { secret: resetSecret, answer: owner } = useLinkSecret('resetSecret', readReset);
  if (resetSecret === '') {
    return (
      <div className="grid gap-4">
        <p className="text-muted">Open the whole link again. It ends with a long text after a #.</p>
        <NewLink />
      </div>
    );
  }
  if (resetSecret === undefined || owner.kind === 'idle') {
    return <p className="text-muted">Reading the link…</p>;
  }
  if (owner.kind === 'refused') {
    return (
      <div className="grid gap-4">
        <Notice tone="error">{owner.message}</Notice>
        <NewLink />
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
          <NewPassword errorOf={errorOf} email={email} />
          <Button type="submit" variant="primary" pending={pending}>
            Set password
          </Button>
        </>
      )}
    </ActionForm>
  );
}

const NewLink = () => (
  <p>
    <Link href="/forgot-password" className="rounded underline underline-offset-4">
      Get a new link
    </Link>
  </p>
);
