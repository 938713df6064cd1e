'use client';

import { PASSWORD_LENGTH_MIN } from '@ceiba/domain/constants';
import Link from 'next/link';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { PasswordField } from '#components/form-fields.tsx';
import { Button } from '#components/ui/button.tsx';
import { LinkGate } from '../../../_components/link-gate.tsx';
import { signInAfterSignUp } from '../../../_components/sign-in.ts';
import { finishSignUp, readSignUp } from '../actions.ts';

/** Takes the password of a new account, whose address the link has confirmed. */
export function FinishSignUp() {
  const [signingIn, setSigningIn] = useState(false);
  return (
    <LinkGate
      field="signUpSecret"
      read={readSignUp}
      incomplete="Open the whole link of the mail again. It ends with a long text after a #."
      instead={
        <p>
          <Link href="/sign-up" className="rounded underline underline-offset-4">
            Sign up again
          </Link>
        </p>
      }
    >
      {({ email }, signUpSecret) => (
        <ActionForm
          action={finishSignUp}
          hidden={{ signUpSecret }}
          onDone={(_created, form) => {
            setSigningIn(true);
            void signInAfterSignUp(form, '/projects');
          }}
          className="grid gap-6"
        >
          {({ pending, errorOf }) => (
            <>
              <p className="text-muted">
                For <span className="font-medium wrap-anywhere text-ink">{email}</span>.
              </p>
              <input
                type="text"
                name="email"
                autoComplete="username"
                value={email}
                readOnly
                hidden
              />
              <PasswordField
                errorOf={errorOf}
                name="password"
                label="Password"
                hint={`At least ${PASSWORD_LENGTH_MIN} characters. Try a phrase only you would think of.`}
                autoComplete="new-password"
              />
              <Button type="submit" variant="primary" pending={pending || signingIn}>
                Create account
              </Button>
            </>
          )}
        </ActionForm>
      )}
    </LinkGate>
  );
}
