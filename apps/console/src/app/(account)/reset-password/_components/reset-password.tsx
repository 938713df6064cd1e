'use client';

import { NewPassword } from '#components/password-fields.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AccountForm } from '../../_components/account-form.tsx';
import { LinkGate } from '../../_components/link-gate.tsx';
import { readReset, setForgottenPassword } from '../actions.ts';

export function ResetPassword() {
  return (
    <LinkGate
      field="resetSecret"
      read={readReset}
      incomplete="Open the whole link again. It ends with a long text after a #."
      instead={
        <p>
          <TextLink href="/forgot-password">Get a new link</TextLink>
        </p>
      }
    >
      {({ email }, resetSecret) => (
        <AccountForm action={setForgottenPassword} hidden={{ resetSecret }} submit="Set password">
          <p className="text-muted">
            For <span className="font-medium wrap-anywhere text-ink">{email}</span>. You are then
            signed out in every browser, and passkeys of this account are removed. After a mailed
            link they stay where they are the required second factor.
          </p>
          <NewPassword email={email} />
        </AccountForm>
      )}
    </LinkGate>
  );
}
