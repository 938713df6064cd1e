'use client';

import Link from 'next/link';
import { ActionForm } from '#components/action-form.tsx';
import { NewPassword } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { LinkGate } from '../../_components/link-gate.tsx';
import { readReset, setForgottenPassword } from '../actions.ts';

export function ResetPassword() {
  return (
    <LinkGate
      field="resetSecret"
      read={readReset}
      incomplete="Open the whole link again. It ends with a long text after a #."
      instead={<NewLink />}
    >
      {({ email }, resetSecret) => (
        <ActionForm action={setForgottenPassword} hidden={{ resetSecret }} className="grid gap-6">
          {({ pending, errorOf }) => (
            <>
              <p className="text-muted">
                For <span className="font-medium wrap-anywhere text-ink">{email}</span>. You are
                then signed out in every browser, and passkeys of this account are removed.
              </p>
              <NewPassword errorOf={errorOf} email={email} />
              <Button type="submit" variant="primary" pending={pending}>
                Set password
              </Button>
            </>
          )}
        </ActionForm>
      )}
    </LinkGate>
  );
}

const NewLink = () => (
  <p>
    <Link href="/forgot-password" className="rounded underline underline-offset-4">
      Get a new link
    </Link>
  </p>
);
